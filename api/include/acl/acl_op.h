/// Not part of soma: operators are run by another library of CANN.
#ifndef SOMA_ACL_OP_H
#define SOMA_ACL_OP_H

#error \
    "soma does not have operators (acl/acl_op.h): operators are run by another library of CANN. docs/porting.md says what there is."

#endif
