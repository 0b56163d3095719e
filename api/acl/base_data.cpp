// Small things about data: half-precision numbers, sizes of elements, holders of buffers, the program's log.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "acl/acl_base.h"
#include "api/acl/call.hpp"

struct aclDataBuffer {
  void* data;
  std::size_t bytes;
};

namespace soma::acl {
namespace {

// Of half precision: 1 bit sign, 5 bits exponent, 10 bits fraction.
constexpr int fraction_bits = 10;
constexpr std::uint16_t fraction_mask = 0x3FF;
constexpr int exponent_mask = 0x1F;
constexpr int bias = 15;
constexpr std::uint16_t largest = 0x7BFF;

/// The bits of what is not negative. Scaled so that the last bit of the result is 1, the number rounds as it
/// should; a carry out of the fraction moves the exponent on by itself.
std::uint16_t half_of(float number) {
  if (!(number < 65520.0F))  // halfway to the next number that there would be; also NaN
    return largest;
  int exponent = 0;
  std::frexp(number, &exponent);
  const int shift = number == 0.0F ? 1 - bias : std::max(exponent - 1, 1 - bias);
  const auto scaled = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(number, fraction_bits - shift)));
  const auto base = static_cast<std::uint32_t>(shift + bias - 1) << fraction_bits;
  return static_cast<std::uint16_t>(scaled + base);
}

constexpr std::size_t log_line_bytes = 1024;

/// The lowest level that is written; above all of them if nothing is.
int lowest_level() {
  const char* const text = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
  const bool known = text != nullptr && text[0] >= '0' && text[0] <= '3' && text[1] == '\0';
  return known ? text[0] - '0' : ACL_ERROR + 1;
}

void write_line(const char* level, const char* function, const char* file, std::uint32_t line,
                const char* text) {
  std::fprintf(stderr, "[%s] %s:%u %s: %s\n", level, file, line, function, text);
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

float aclFloat16ToFloat(aclFloat16 value) {
  const int exponent = (value >> fraction_bits) & exponent_mask;
  const int fraction = value & fraction_mask;
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - bias - fraction_bits)
                                   : std::ldexp(static_cast<float>(fraction + fraction_mask + 1),
                                                exponent - bias - fraction_bits);
  return (value & 0x8000U) != 0 ? -size : size;
}

aclFloat16 aclFloatToFloat16(float value) {
  const bool negative = std::signbit(value);
  return static_cast<aclFloat16>(half_of(std::fabs(value)) | (negative ? 0x8000U : 0U));
}

size_t aclDataTypeSize(aclDataType dataType) {
  switch (number_of(dataType)) {
  case ACL_DT_UNDEFINED:
  case ACL_STRING:
    return 0;
  case ACL_UINT1:
  case ACL_INT4:
  case ACL_BOOL:
  case ACL_INT8:
  case ACL_UINT8:
  case ACL_HIFLOAT8:
  case ACL_FLOAT8_E5M2:
  case ACL_FLOAT8_E4M3FN:
  case ACL_FLOAT8_E8M0:
    return 1;
  case ACL_INT16:
  case ACL_UINT16:
  case ACL_FLOAT16:
  case ACL_BF16:
    return 2;
  case ACL_INT32:
  case ACL_UINT32:
  case ACL_FLOAT:
  case ACL_COMPLEX32:
    return 4;
  case ACL_COMPLEX128:
    return 16;
  default:
    return 8;
  }
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  return new (std::nothrow) aclDataBuffer{data, size};
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return call("aclDestroyDataBuffer", [&] {
    require_not_null(dataBuffer, "dataBuffer");
    delete dataBuffer;
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return call("aclUpdateDataBuffer", [&] {
    require_not_null(dataBuffer, "dataBuffer");
    *dataBuffer = {data, size};
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? nullptr : dataBuffer->data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? 0 : dataBuffer->bytes;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<std::uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt,
               ...) {
  constexpr std::array names{"DEBUG", "INFO", "WARNING", "ERROR"};
  const int level = number_of(logLevel);
  if (level < lowest_level() || level > ACL_ERROR || fmt == nullptr)
    return;
  std::array<char, log_line_bytes> text{};
  std::va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text.data(), text.size(), fmt, arguments);
  va_end(arguments);
  write_line(names.at(static_cast<std::size_t>(level)), func == nullptr ? "" : func,
             file == nullptr ? "" : file, line, text.data());
}
