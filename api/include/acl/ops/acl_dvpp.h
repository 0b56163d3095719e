/// Not part of soma: the simulated device has none.
#ifndef SOMA_OPS_ACL_DVPP_H
#define SOMA_OPS_ACL_DVPP_H

#error "soma has no image and video units (acl/ops/acl_dvpp.h); docs/porting.md says what there is"

#endif
