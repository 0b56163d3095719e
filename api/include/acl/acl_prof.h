/// Not part of soma: the simulated device is not profiled.
#ifndef SOMA_ACL_PROF_H
#define SOMA_ACL_PROF_H

#error \
    "soma does not have the profiler (acl/acl_prof.h): the simulated device is not profiled. docs/porting.md says what there is."

#endif
