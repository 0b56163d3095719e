// The runner's calls about plain memory.

#include <limits>

#include "oracle/runner.hpp"

namespace oracle {

using soma::errc;
using support::number;

void runner::malloc_plain(const numbers& all) {
  std::uint64_t bytes = 1 + all[1] * 37 % (3 * granule);
  if (all[0] % 4 == 3) {
    bytes = (1 + all[1] % 4) * granule;
  } else if (all[0] % 16 == 14) {
    const std::uint64_t odd[] = {0, std::numeric_limits<std::uint64_t>::max(),
                                 std::numeric_limits<std::uint64_t>::max() - 511, memory_ + 1};
    bytes = odd[all[1] % 4];
  }
  settle();
  const auto expected = model_.malloc(bytes);
  const auto variable = name('m', named_);
  const auto call = "device.malloc(" + bytes_text(bytes) + ")";
  print_.call(variable, call, expected.error);
  const auto got = device_.malloc(bytes);
  check_error(call, got, expected.error);
  if (!got) {
    return;
  }
  ++named_;
  const auto place = number(*got);
  if (runtime_.locate(*got) != soma::memory_location::device || place % device_model::plain_unit != 0) {
    disagree(call + " returned an address that is not plain device memory, or not aligned");
  }
  if (!plain_base_) {
    plain_base_ = place;  // the first block of an empty heap
  }
  const auto begin = (place - *plain_base_) / device_model::plain_unit;
  if (const auto wrong = model_.plain_granted(expected, begin)) {
    disagree(call + " returned unit " + std::to_string(begin) + ": " + *wrong);
  }
  plain_.push_back({*got, begin, variable});
}

void runner::free_plain(const numbers& all) {
  if (plain_.empty()) {
    return;
  }
  const auto which = all[0] % plain_.size();
  const auto block = plain_[which];
  const auto stream = some_stream(all[1]);
  const bool at_once = all[2] % 2 == 0;
  if (!at_once && streams_[stream].destroyed) {
    return;
  }
  const auto call = at_once ? "device.free(" + block.name + ")"
                            : "device.free_async(" + block.name + ", " + name('s', stream) + ")";
  print_.call(call, std::nullopt);
  if (at_once) {
    check_error(call, device_.free(block.address), std::nullopt);
    model_.plain_free(block.begin);
  } else {
    join(stream);
    check_error(call, device_.free_async(block.address, *streams_[stream].stream), std::nullopt);
    model_.plain_free_async(block.begin, stream);
    settle_join(stream);
    memory_comes_back_ = true;
    check_error("a second " + call, device_.free(block.address), errc::unknown_address);
  }
  plain_.erase(plain_.begin() + static_cast<std::ptrdiff_t>(which));
}

}  // namespace oracle
