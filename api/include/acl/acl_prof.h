/// Not part of soma: the simulated device is not profiled.
#ifndef SOMA_ACL_PROF_H
#define SOMA_ACL_PROF_H

#error "soma has no profiler (acl/acl_prof.h); docs/porting.md says what there is"

#endif
