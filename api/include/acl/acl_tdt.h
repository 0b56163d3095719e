/// Not part of soma: the simulated device has none.
#ifndef SOMA_ACL_TDT_H
#define SOMA_ACL_TDT_H

#error \
    "soma does not have data channels (acl/acl_tdt.h): the simulated device has none. docs/porting.md says what there is."

#endif
