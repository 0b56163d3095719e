/// Not part of soma: models are loaded and run by another library of CANN.
#ifndef SOMA_ACL_MDL_H
#define SOMA_ACL_MDL_H

#error \
    "soma does not have models (acl/acl_mdl.h): models are loaded and run by another library of CANN. docs/porting.md says what there is."

#endif
