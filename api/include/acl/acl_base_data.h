/// Small things about data that need no device: half-precision numbers, the size of an element,
/// holders of a buffer, and lines of the program's log.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_BASE_DATA_H
#define SOMA_ACL_BASE_DATA_H

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A holder of an address and a size. It does not own the memory.
typedef struct aclDataBuffer aclDataBuffer;

/// The number with these bits. As CANN has it, there are no special values: an exponent of all ones
/// is one like any other, so +infinity gives 65536 and a NaN of 0x7E00 gives 98304.
/// Threads: any.
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

/// The nearest half-precision number; ties go to the even one. What is too large, infinity and NaN
/// give the largest number: 0x7BFF, or 0xFBFF if the sign is set.
/// Threads: any.
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

/// The bytes of one element. Types of less than a byte count as 1; strings and ACL_DT_UNDEFINED as
/// 0; what is unknown, and the types of 4 and 6 bits for floats, as 8.
/// Threads: any.
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

/// Makes a holder of `size` bytes at `data`, which may be NULL. The caller destroys it. NULL if no
/// memory is left.
/// Threads: any.
ACL_FUNC_VISIBILITY aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);

/// Destroys a holder; the memory it holds stays. Threads: any. Errors: 100000 it is NULL.
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer);

/// Puts other memory in. Threads: any, one at a time. Errors: 100000 it is NULL.
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size);

/// The address, or NULL for NULL. Threads: any.
ACL_FUNC_VISIBILITY void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer);

/// The size in bytes, or 0 for NULL. Threads: any.
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer);

/// The lower 32 bits of the size.
ACL_DEPRECATED_MESSAGE("use aclGetDataBufferSizeV2")
ACL_FUNC_VISIBILITY uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer);

/// Writes a line for the program's log; `fmt` and what follows are as for printf. Longer lines than
/// 1024 bytes are cut. soma: it goes to the standard error output if the environment variable
/// ASCEND_GLOBAL_LOG_LEVEL is a number from 0 (everything) to 3 (errors) that is not above
/// `logLevel`; else nowhere.
/// Threads: any.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
ACL_FUNC_VISIBILITY void
aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...);

/// A line of the log with the place where it is written. Takes a format and at least nothing more.
#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
