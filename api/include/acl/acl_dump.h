/// Not part of soma: the simulated device writes none.
#ifndef SOMA_ACL_DUMP_H
#define SOMA_ACL_DUMP_H

#error "soma has no dumps (acl/acl_dump.h); docs/porting.md says what there is"

#endif
