/// Labels: places in a model's streams that a switch jumps to. soma builds no models, so labels can be made
/// and put into lists, but no stream can be given one.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_LABEL_H
#define SOMA_ACL_RT_LABEL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A place in a stream to go on at, and a list of such places.
typedef void* aclrtLabel;
typedef void* aclrtLabelList;

/// Makes or destroys a label. At most 65535 exist at a time.
/// Threads: any but the device's.
/// Errors: 100000 `label` is NULL; 107002; 207005 no label is left; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateLabel(aclrtLabel* label);
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabel(aclrtLabel label);

/// Puts a label at this place of a stream, which must be bound to a model.
/// Threads: any but the device's.
/// Errors: 100000 `label` is NULL; 107002; 107003; 107005 the stream is bound to no model; 107017;
/// 507031 the label is another context's; 207006.
ACL_FUNC_VISIBILITY aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);

/// Makes a list of labels, or destroys it; the labels stay. `num` is from 1 to 65535.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL or `num` is out of its range; 107002; 107017 a label is not live, or
/// the list; 507031 a label is another context's; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList);
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/// Jumps to the label whose index is at `ptr`, in a stream that is bound to a model.
/// Threads: any but the device's.
/// Errors: 100000 `ptr` or `labelList` is NULL; 107000 `maxValue` is not the number of labels in the list;
/// 107002; 107003; 107005 the stream is bound to no model; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList,
                                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
