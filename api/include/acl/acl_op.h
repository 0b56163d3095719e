/// Not part of soma: they are run by another library of CANN.
#ifndef SOMA_ACL_OP_H
#define SOMA_ACL_OP_H

#error "soma has no operators (acl/acl_op.h); docs/porting.md says what there is"

#endif
