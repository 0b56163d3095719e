// Where the runtime is known to differ from what it promises. The oracle goes by the promise where a constant
// is false, and by what the runtime does where it is true, so that one fault does not hide the others. Each
// has a test in regressions_test.cpp that fails until the fault is mended; then its constant goes.
#pragma once

namespace oracle::known_faults {

/// New memory goes where it touches the fewest new granules only among places with one range of free
/// granules; idle granules between two such ranges are not used.
inline constexpr bool new_memory_is_of_one_range = true;

/// A request is refused, although idle memory that the stream may have and free granules beside it would do:
/// with blocks of whole granules always, with smaller ones where idle memory lies between two ranges of free
/// granules.
inline constexpr bool refuses_idle_beside_new = true;

}  // namespace oracle::known_faults
