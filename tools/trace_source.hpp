// Where the text of a trace comes from: a file or standard input, plain or compressed with gzip.
//
// Compression is recognised by the first bytes and not by the name. Bytes that follow the compressed data are
// ignored, as gzip does with padding.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <tl/expected.hpp>

// Named here so that users of this header do not see zlib.
struct gzFile_s;

namespace soma::tools {

class trace_source {
public:
  /// The path "-" is standard input, which stays open when the source goes. The error is the reason as text.
  static tl::expected<trace_source, std::string> open(const std::string& path);

  /// Reads at most `capacity` bytes of text; 0 means the end. The error is the reason as text.
  tl::expected<std::size_t, std::string> read(char* buffer, std::size_t capacity);

private:
  struct closer {
    void operator()(gzFile_s* file) const noexcept;
  };

  using handle = std::unique_ptr<gzFile_s, closer>;

  explicit trace_source(handle file) noexcept : file_(std::move(file)) {
    // nop
  }

  handle file_;
};

}  // namespace soma::tools
