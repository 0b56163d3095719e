/// Not part of soma: the simulated device writes none.
#ifndef SOMA_ACL_DUMP_H
#define SOMA_ACL_DUMP_H

#error \
    "soma does not have dumps (acl/acl_dump.h): the simulated device writes none. docs/porting.md says what there is."

#endif
