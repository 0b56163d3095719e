/// Not part of soma: the simulated device has none.
#ifndef SOMA_ACL_TDT_QUEUE_H
#define SOMA_ACL_TDT_QUEUE_H

#error "soma has no queues of the device (acl/acl_tdt_queue.h); docs/porting.md says what there is"

#endif
