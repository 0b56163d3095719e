/// Not part of soma: they are operators of another library of CANN.
#ifndef SOMA_ACL_CBLAS_H
#define SOMA_ACL_CBLAS_H

#error "soma has no matrix products (acl/acl_cblas.h); docs/porting.md says what there is"

#endif
