/// Not part of soma: they are operators of another library of CANN.
#ifndef SOMA_ACL_CBLAS_H
#define SOMA_ACL_CBLAS_H

#error \
    "soma does not have matrix products (cblas) (acl/acl_cblas.h): they are operators of another library of CANN. docs/porting.md says what there is."

#endif
