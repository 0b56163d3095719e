#include <map>

#include "memory/sizes.hpp"
#include "sim/checker.hpp"

namespace soma::sim {

namespace {

volatile std::uint8_t* byte_at(memory::address place) {
  return reinterpret_cast<volatile std::uint8_t*>(memory::number(place));  // NOLINT: device memory
}

// Writing all of every block would take most of a run's time. So every byte is tracked on the side, and of
// the memory itself the first and last byte of each block and the first of each granule are used: memory goes
// back to the system by granules only.
class contents_checker final : public checker {
public:
  contents_checker() : checker("contents") {}

  void touches(const task& running, const access& how, const block& touched,
               const past& /*before*/) override {
    if (how.how == access::kind::write) {
      write(running, *how.value, touched);
      return;
    }
    const auto written = last_.find(touched.number);
    if (how.value) {
      verify(running, *how.value, touched);
    } else if (written != last_.end()) {
      verify(running, written->second, touched);
    } else {
      for_samples(touched.memory, [](memory::address place) { static_cast<void>(*byte_at(place)); });
    }
  }

private:
  struct segment {
    memory::address end;
    std::uint8_t value;
    const statement* writer;
    std::string block;
  };

  template <class F>
  static void for_samples(memory::range of, F visit) {
    if (of.bytes == 0) {
      return;
    }
    visit(of.begin);
    const auto first = memory::round_up(memory::number(of.begin), memory::granule_bytes);
    for (auto place = first; place < memory::number(of.end()); place += memory::granule_bytes) {
      visit(memory::address{place});
    }
    visit(memory::address{memory::number(of.end()) - 1});
  }

  void write(const task& running, std::uint8_t value, const block& touched) {
    cut(touched.memory.begin);
    cut(touched.memory.end());
    written_.erase(written_.lower_bound(touched.memory.begin), written_.lower_bound(touched.memory.end()));
    written_.emplace(touched.memory.begin, segment{touched.memory.end(), value, running.what, touched.name});
    last_.insert_or_assign(touched.number, value);
    for_samples(touched.memory, [value](memory::address place) { *byte_at(place) = value; });
  }

  // Makes sure that no segment goes across this address.
  void cut(memory::address place) {
    auto behind = written_.upper_bound(place);
    if (behind == written_.begin()) {
      return;
    }
    auto& [begin, before] = *std::prev(behind);
    if (begin < place && place < before.end) {
      auto rest = before;
      before.end = place;
      written_.emplace(place, std::move(rest));
    }
  }

  void verify(const task& running, std::uint8_t value, const block& touched) {
    cut(touched.memory.begin);
    cut(touched.memory.end());
    auto place = touched.memory.begin;
    for (auto at = written_.lower_bound(place); place < touched.memory.end(); ++at) {
      if (at == written_.end() || at->first != place) {
        fail(to_text(*running.what) + " reads a part of " + touched.name + " that nobody has written");
        return;
      }
      if (at->second.value != value || at->second.block != touched.name) {
        fail(to_text(*running.what) + " finds " + byte_text(at->second.value) + " in " + touched.name +
             ", not " + byte_text(value) + "; it was written by " + to_text(*at->second.writer) + " to " +
             at->second.block);
        return;
      }
      place = at->second.end;
    }
    bool lost = false;
    for_samples(touched.memory, [&](memory::address sample) { lost = lost || *byte_at(sample) != value; });
    if (lost) {
      fail(to_text(*running.what) + " finds that the memory behind " + touched.name +
           " has lost what was written");
    }
  }

  std::map<memory::address, segment> written_;
  std::map<std::size_t, std::uint8_t> last_;  // by block
};

}  // namespace

std::unique_ptr<checker> check_contents() { return std::make_unique<contents_checker>(); }

}  // namespace soma::sim
