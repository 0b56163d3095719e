/// Not part of soma: it is another library of CANN.
#ifndef SOMA_ACL_OP_COMPILER_H
#define SOMA_ACL_OP_COMPILER_H

#error "soma has no operator compiler (acl/acl_op_compiler.h); docs/porting.md says what there is"

#endif
