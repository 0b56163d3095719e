/// Not part of soma: it is another library of CANN.
#ifndef SOMA_ACL_RETR_H
#define SOMA_ACL_RETR_H

#error "soma has no retrieval (acl/acl_retr.h); docs/porting.md says what there is"

#endif
