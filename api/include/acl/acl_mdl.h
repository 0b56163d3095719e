/// Not part of soma: they are loaded and run by another library of CANN.
#ifndef SOMA_ACL_MDL_H
#define SOMA_ACL_MDL_H

#error "soma has no models (acl/acl_mdl.h); docs/porting.md says what there is"

#endif
