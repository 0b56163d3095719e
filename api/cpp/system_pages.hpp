// An array on pages of the system, for what must work in a signal handler, where nothing may be allocated
// from the heap. Elements are zero at first, and are never constructed or destroyed.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <type_traits>

namespace soma::detail {

template <class Element>
class system_pages {
  static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_destructible_v<Element>);

public:
  explicit system_pages(std::size_t size) noexcept { make(size); }

  /// Precondition: it has no element.
  void make(std::size_t size) noexcept {
    size_ = size;
    const auto bytes = size * sizeof(Element);
    auto* pages = bytes == 0 ? MAP_FAILED
                             : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    elements_ = pages == MAP_FAILED ? nullptr : static_cast<Element*>(pages);
  }
  ~system_pages() {
    if (elements_ != nullptr) {
      ::munmap(elements_, size_ * sizeof(Element));
    }
  }
  system_pages(const system_pages&) = delete;
  system_pages& operator=(const system_pages&) = delete;

  /// Whether there is the memory that was asked for.
  [[nodiscard]] bool is_there() const noexcept { return size_ == 0 || elements_ != nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Element* begin() noexcept { return elements_; }
  [[nodiscard]] const Element* begin() const noexcept { return elements_; }
  [[nodiscard]] Element& operator[](std::size_t at) noexcept { return elements_[at]; }
  [[nodiscard]] const Element& operator[](std::size_t at) const noexcept { return elements_[at]; }

private:
  std::size_t size_ = 0;
  Element* elements_ = nullptr;
};

}  // namespace soma::detail
