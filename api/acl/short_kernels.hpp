// Kernels that are over before the host's next call, as programs take for granted that were written for a
// device.
//
// Some launch a kernel and then, without waiting, copy what it writes, share it with another process, or end
// the stream and free the memory. On a device they get away with it, since a short kernel has long ended by
// then. Here a thread has to wake up first. So the calls that would be too early give the kernel a moment. It
// orders nothing: for memory pools and the race detector the program has not waited.
#pragma once

namespace soma::acl {

/// The calling thread has launched a kernel on a stream; null is the default stream of its current context.
void note_launch(void* stream);

/// Gives the kernel that the calling thread launched last a moment to end. Returns at once if it has ended,
/// and after SOMA_SHORT_KERNEL_MS milliseconds, 100 by default, at most; waits only once for each launch.
void let_short_kernel_end();

}  // namespace soma::acl
