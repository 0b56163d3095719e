/// Not part of soma: the simulated device has none.
#ifndef SOMA_ACL_TDT_H
#define SOMA_ACL_TDT_H

#error "soma has no data channels (acl/acl_tdt.h); docs/porting.md says what there is"

#endif
