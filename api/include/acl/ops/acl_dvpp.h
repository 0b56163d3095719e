/// Not part of soma: the simulated device has no image and video units.
#ifndef SOMA_ACL_OPS_ACL_DVPP_H
#define SOMA_ACL_OPS_ACL_DVPP_H

#error \
    "soma does not have image and video units (acl/ops/acl_dvpp.h): the simulated device has none. docs/porting.md says what there is."

#endif
