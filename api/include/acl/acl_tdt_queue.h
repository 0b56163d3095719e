/// Not part of soma: the simulated device has none.
#ifndef SOMA_ACL_TDT_QUEUE_H
#define SOMA_ACL_TDT_QUEUE_H

#error \
    "soma does not have queues of the device (acl/acl_tdt_queue.h): the simulated device has none. docs/porting.md says what there is."

#endif
