/// Not part of soma: operators are compiled by another library of CANN.
#ifndef SOMA_ACL_OP_COMPILER_H
#define SOMA_ACL_OP_COMPILER_H

#error \
    "soma does not have the operator compiler (acl/acl_op_compiler.h): operators are compiled by another library of CANN. docs/porting.md says what there is."

#endif
