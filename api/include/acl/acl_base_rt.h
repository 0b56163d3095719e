/// What every other header of the C interface builds on: the handles, the error type with its
/// codes, and the few enums that belong to no one call.
/// A handle is opaque. It is never to be dereferenced, compared by order or freed. A copy of a
/// handle is the same object. soma: a handle carries an index and a generation, so one that was
/// destroyed is recognised (107017), also after its place has been taken by another.
#ifndef SOMA_ACL_BASE_RT_H
#define SOMA_ACL_BASE_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Marks a function that the library exports. The library itself is built with hidden symbols.
/// ACL_DEPRECATED_MESSAGE marks what has a successor, and names it in the compiler's warning.
#if defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
/// For the compiler: a warning where a name is used, and none where one is not.
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))
#define SOMA_MAYBE_UNUSED __attribute__((unused))
#else
#define ACL_FUNC_VISIBILITY
#define ACL_DEPRECATED_MESSAGE(message)
#define SOMA_MAYBE_UNUSED
#endif

/// The result of a call: 0 for success, else one of the codes below or of rt_error_codes.h.
typedef int aclError;

/// The bits of an IEEE half-precision number. No arithmetic.
typedef uint16_t aclFloat16;

/// A context: streams and events belong to the one that was current when they were made.
typedef void* aclrtContext;
/// A stream: tasks run in the order in which they were submitted. NULL often means the current
/// context's default stream; each function says so.
typedef void* aclrtStream;
/// An event: a mark in a stream that others can wait for.
typedef void* aclrtEvent;
/// A loaded file of kernels.
typedef void* aclrtBinHandle;
/// A kernel that can be launched.
typedef void* aclrtFuncHandle;
/// A kernel's arguments while they are put together.
typedef void* aclrtArgsHandle;
/// One argument in an aclrtArgsHandle.
typedef void* aclrtParamHandle;

// Success. ACL_ERROR_NONE is the older name.
SOMA_MAYBE_UNUSED static const int ACL_ERROR_NONE = 0;
SOMA_MAYBE_UNUSED static const int ACL_SUCCESS = 0;

// 1xxxxx: a wrong argument, or a call in the wrong state. The caller can put it right. Superseded
// are 100034 (by 107015), 100035 (107012), 100036 (507012), 100040 (107013) and 100041 (107014).
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_PARAM = 100000;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_UNINITIALIZE = 100001;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_FILE = 100003;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_WRITE_FILE = 100004;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PARSE_FILE = 100006;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_MODEL_ID = 100011;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PARSE_MODEL = 100013;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_OP_NOT_FOUND = 100024;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_OP_LOAD_FAILED = 100025;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_REPEAT_FINALIZE = 100037;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_GROUP_NOT_SET = 100040;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PROF_NOT_RUN = 100043;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_DUMP_NOT_RUN = 100045;

// The same kind, of profiling, operators and models.
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PROF_API_CONFLICT = 148047;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_OPP_PATH = 148049;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;

// 2xxxxx: a resource is short, or the feature is missing. 200002 is superseded by 107001.
SOMA_MAYBE_UNUSED static const int ACL_ERROR_BAD_ALLOC = 200000;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_API_NOT_SUPPORT = 200001;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_DEVICE = 200002;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007;

// 3xxxxx: over a limit.
SOMA_MAYBE_UNUSED static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;

// 5xxxxx: a failure inside. 500000 stands for whatever has no code of its own.
SOMA_MAYBE_UNUSED static const int ACL_ERROR_INTERNAL_ERROR = 500000;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_FAILURE = 500001;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_GE_FAILURE = 500002;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_RT_FAILURE = 500003;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_DRV_FAILURE = 500004;
SOMA_MAYBE_UNUSED static const int ACL_ERROR_PROFILING_FAILURE = 500005;

/// The type of an element. The numbers have gaps.
typedef enum {
  ACL_DT_UNDEFINED = -1,
  ACL_FLOAT = 0,
  ACL_FLOAT16 = 1,
  ACL_INT8 = 2,
  ACL_INT32 = 3,
  ACL_UINT8 = 4,
  ACL_INT16 = 6,
  ACL_UINT16 = 7,
  ACL_UINT32 = 8,
  ACL_INT64 = 9,
  ACL_UINT64 = 10,
  ACL_DOUBLE = 11,
  ACL_BOOL = 12,
  ACL_STRING = 13,
  ACL_COMPLEX64 = 16,
  ACL_COMPLEX128 = 17,
  ACL_BF16 = 27,
  ACL_INT4 = 29,
  ACL_UINT1 = 30,
  ACL_COMPLEX32 = 33,
  ACL_HIFLOAT8 = 34,
  ACL_FLOAT8_E5M2 = 35,
  ACL_FLOAT8_E4M3FN = 36,
  ACL_FLOAT8_E8M0 = 37,
  ACL_FLOAT6_E3M2 = 38,
  ACL_FLOAT6_E2M3 = 39,
  ACL_FLOAT4_E2M1 = 40,
  ACL_FLOAT4_E1M2 = 41
} aclDataType;

/// The layout of a tensor. The numbers have gaps.
typedef enum {
  ACL_FORMAT_UNDEFINED = -1,
  ACL_FORMAT_NCHW = 0,
  ACL_FORMAT_NHWC = 1,
  ACL_FORMAT_ND = 2,
  ACL_FORMAT_NC1HWC0 = 3,
  ACL_FORMAT_FRACTAL_Z = 4,
  ACL_FORMAT_NC1HWC0_C04 = 12,
  ACL_FORMAT_HWCN = 16,
  ACL_FORMAT_NDHWC = 27,
  ACL_FORMAT_FRACTAL_NZ = 29,
  ACL_FORMAT_NCDHW = 30,
  ACL_FORMAT_NDC1HWC0 = 32,
  ACL_FRACTAL_Z_3D = 33,
  ACL_FORMAT_NC = 35,
  ACL_FORMAT_NCL = 47,
  ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
  ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
  ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
  ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
  ACL_FORMAT_FRACTAL_NZ_C0_8 = 54
} aclFormat;

/// How serious a log line is.
typedef enum { ACL_DEBUG = 0, ACL_INFO = 1, ACL_WARNING = 2, ACL_ERROR = 3 } aclLogLevel;

/// Where a tensor lives.
typedef enum {
  ACL_MEMTYPE_DEVICE = 0,
  ACL_MEMTYPE_HOST = 1,
  ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

#ifdef __cplusplus
}
#endif

#endif
