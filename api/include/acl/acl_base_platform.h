/// What the software and the chip can do, and their versions. Needs neither aclInit nor a context.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_BASE_PLATFORM_H
#define SOMA_ACL_BASE_PLATFORM_H

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Something that the software can or cannot do: infinities and NaN in arithmetic, the type bf16,
/// compiling operators when they are needed.
typedef enum {
  ACL_CANN_ATTR_UNDEFINED = -1,
  ACL_CANN_ATTR_INF_NAN = 0,
  ACL_CANN_ATTR_BF16 = 1,
  ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

/// A number of the chip.
typedef enum {
  ACL_DEVICE_INFO_UNDEFINED = -1,
  ACL_DEVICE_INFO_AI_CORE_NUM = 0,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
  ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

/// A part of CANN.
typedef enum {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME = 1,
  ACL_PKG_NAME_COMPILER = 2,
  ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4,
  ACL_PKG_NAME_OPP = 5,
  ACL_PKG_NAME_OPP_KERNEL = 6,
  ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

/// Bytes of a version's texts, with their ends.
#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/// A version as a whole and in parts, each a text that ends with a 0.
typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/// All attributes that can be asked for. The list is the library's and lasts as long as the process.
/// Threads: any. Errors: 100000 a pointer is NULL.
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num);

/// 1 if the software can do it, 0 if not.
/// Threads: any. Errors: 100000 `value` is NULL or `cannAttr` is unknown.
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value);

/// A number of the device's chip; the size of the L2 cache is in bytes.
/// Threads: any.
/// Errors: 100000 `value` is NULL or `deviceInfo` is unknown; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                                    int64_t* value);

/// The version of a part of CANN, at most 128 bytes with its end. The parts are "runtime",
/// "compiler", "opp", "toolkit" and so on. soma: if $ASCEND_HOME_PATH is set, it is what the part's
/// file there says (share/info/<part>/version.info, the line Version=); else the parts "runtime" and
/// "driver" have the version of this interface.
/// Threads: any.
/// Errors: 100000 a pointer is NULL, or `pkgName` is no name of a part; 100003 the part is not there.
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char* pkgName, char* versionStr);

/// The same as a number that can be compared: 10000000 for each major, 100000 for each minor and 1000
/// for each patch version; before a release less 300 (alpha), 200 (beta) or 100 (rc), plus its number.
/// Threads: any. Errors: those of aclsysGetVersionStr; 100000 the text is no version.
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum);

/// The version of a part of CANN, also in its parts.
/// Threads: any.
/// Errors: 100000 `version` is NULL or `name` is unknown; 100003 the part is not there.
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr")
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version);

/// Whether what was built for the chip of this name runs on this one: 1 or 0.
/// Threads: any. Errors: 100000 a pointer is NULL.
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible);

#ifdef __cplusplus
}
#endif

#endif
