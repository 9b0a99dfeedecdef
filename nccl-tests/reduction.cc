// Reductions: their names, and their implementation for elements in host memory.
#include "nccl-tests/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

constexpr std::array<std::string_view, 6> reduction_names = {"sum", "prod", "max",
                                                             "min", "avg",  "mulsum"};

// Floating-point formats without a type in C++20: half and bfloat16 follow IEEE 754, f8e4m3 and
// f8e5m2 follow Micikevicius et al., "FP8 Formats for Deep Learning" (2022).
struct Format {
  int exponent_bits;
  int mantissa;
  uint32_t infinity;  // f8e4m3 has no infinity: its NaN
};

constexpr Format half_format{5, 10, 0x7c00};
constexpr Format bfloat16_format{8, 7, 0x7f80};
constexpr Format e4m3_format{4, 3, 0x7f};
constexpr Format e5m2_format{5, 2, 0x7c};

double decode(uint32_t bits, const Format& format) {
  const int width = 1 + format.exponent_bits + format.mantissa;
  const double sign = (bits >> (width - 1)) != 0 ? -1 : 1;
  const uint32_t magnitude = bits & ((1U << (width - 1)) - 1);
  if (magnitude >= format.infinity) {
    const bool infinite = magnitude == format.infinity && format.exponent_bits != 4;
    return infinite ? sign * HUGE_VAL : std::nan("");
  }
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto exponent = static_cast<int>(magnitude >> format.mantissa);
  const uint32_t fraction = magnitude & ((1U << format.mantissa) - 1);
  const uint32_t leading = exponent == 0 ? 0 : 1U << format.mantissa;
  return sign * std::ldexp(leading + fraction, std::max(exponent, 1) - bias - format.mantissa);
}

// Rounds to nearest, ties to even.
uint32_t encode(double value, const Format& format) {
  const int width = 1 + format.exponent_bits + format.mantissa;
  const uint32_t sign = std::signbit(value) ? 1U << (width - 1) : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (!(magnitude < HUGE_VAL)) return sign | format.infinity;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent));
  // A normal number's steps include the leading bit, which adds one to the exponent field.
  const double bits = std::ldexp(exponent + bias - 1, format.mantissa) + steps;
  return sign | (bits >= format.infinity ? format.infinity : static_cast<uint32_t>(bits));
}

// Of the same width without a sign, for which sums and products are defined: whole numbers wrap
// around, as on a GPU.
template <class T>
struct Wrapping {
  using type = T;
};
template <>
struct Wrapping<int8_t> {
  using type = uint8_t;
};
template <>
struct Wrapping<int32_t> {
  using type = uint32_t;
};
template <>
struct Wrapping<int64_t> {
  using type = uint64_t;
};

// Each for one element and for a vector of them.
struct Plus {
  template <class V>
  V operator()(V a, V b) const {
    return static_cast<V>(a + b);
  }
};
struct Times {
  template <class V>
  V operator()(V a, V b) const {
    return static_cast<V>(a * b);
  }
};
struct Larger {
  template <class V>
  V operator()(V a, V b) const {
    return a < b ? b : a;
  }
};
struct Smaller {
  template <class V>
  V operator()(V a, V b) const {
    return b < a ? b : a;
  }
};

template <class V, class Op>
void reduce_at(const std::byte* a, const std::byte* b, std::byte* into) {
  V left, right;
  std::memcpy(&left, a, sizeof left);
  std::memcpy(&right, b, sizeof right);
  left = Op()(left, right);
  std::memcpy(into, &left, sizeof left);
}

// By vectors as wide as every processor has them: the compilers' usual levels of optimization would
// take one element at a time.
template <class T, class Op>
void reduce_native(const std::byte* a, const std::byte* b, std::byte* into, int64_t count) {
  using Vector [[gnu::vector_size(16)]] = T;
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  constexpr auto wide = static_cast<int64_t>(sizeof(Vector));
  int64_t at = 0;
  for (; at + wide <= bytes; at += wide) reduce_at<Vector, Op>(a + at, b + at, into + at);
  for (; at < bytes; at += static_cast<int64_t>(sizeof(T)))
    reduce_at<T, Op>(a + at, b + at, into + at);
}

template <class T>
void reduce_as(Reduction reduction, const std::byte* a, const std::byte* b, std::byte* into,
               int64_t count) {
  using Wraps = typename Wrapping<T>::type;
  switch (reduction) {
    case Reduction::sum:
    case Reduction::avg:
    case Reduction::mulsum:
      return reduce_native<Wraps, Plus>(a, b, into, count);
    case Reduction::prod:
      return reduce_native<Wraps, Times>(a, b, into, count);
    case Reduction::max:
      return reduce_native<T, Larger>(a, b, into, count);
    case Reduction::min:
      return reduce_native<T, Smaller>(a, b, into, count);
  }
}

double apply(Reduction reduction, double a, double b) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::avg:
    case Reduction::mulsum:
      return a + b;
    case Reduction::prod:
      return a * b;
    case Reduction::max:
      return std::max(a, b);
    case Reduction::min:
      return std::min(a, b);
  }
  return 0;
}

template <class T>
double load_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

template <class T>
void store_as(double value, std::byte* at) {
  const T stored = static_cast<T>(value);
  std::memcpy(at, &stored, sizeof stored);
}

template <class Bits>
double load_format(const std::byte* at, const Format& format) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  return decode(bits, format);
}

}  // namespace

std::string_view to_string(Reduction reduction) {
  return reduction_names[static_cast<size_t>(reduction)];
}

std::vector<Reduction> parse_reductions(std::string_view name) {
  std::vector<Reduction> all;
  for (size_t i = 0; i < reduction_names.size(); ++i) {
    all.push_back(static_cast<Reduction>(i));
    if (name == reduction_names[i]) return {all.back()};
  }
  if (name == "all") return all;
  std::vector<std::string> known(reduction_names.begin(), reduction_names.end());
  known.emplace_back("all");
  const std::string guess = nearest(name, known);
  throw UsageError(fmt::format("unknown reduction `{}`", name) +
                   (guess.empty() ? fmt::format("; known are {}", join(known, ", "))
                                  : fmt::format("; did you mean `{}`?", guess)));
}

double load_element(Element element, const std::byte* at) {
  switch (element) {
    case Element::int8:
      return load_as<int8_t>(at);
    case Element::uint8:
      return load_as<uint8_t>(at);
    case Element::int32:
      return load_as<int32_t>(at);
    case Element::uint32:
      return load_as<uint32_t>(at);
    case Element::int64:
      return load_as<int64_t>(at);
    case Element::uint64:
      return load_as<uint64_t>(at);
    case Element::float16:
      return load_format<uint16_t>(at, half_format);
    case Element::float32:
      return load_as<float>(at);
    case Element::float64:
      return load_as<double>(at);
    case Element::bfloat16:
      return load_format<uint16_t>(at, bfloat16_format);
    case Element::float8e4m3:
      return load_format<uint8_t>(at, e4m3_format);
    case Element::float8e5m2:
      return load_format<uint8_t>(at, e5m2_format);
  }
  return 0;
}

void store_element(Element element, double value, std::byte* at) {
  switch (element) {
    case Element::int8:  // through a wider type, since the value may be that of a wrapped sum
      return store_as<int8_t>(static_cast<double>(static_cast<int8_t>(std::llround(value))), at);
    case Element::uint8:
      return store_as<uint8_t>(static_cast<double>(static_cast<uint8_t>(std::llround(value))), at);
    case Element::int32:
      return store_as<int32_t>(value, at);
    case Element::uint32:
      return store_as<uint32_t>(value, at);
    case Element::int64:
      return store_as<int64_t>(value, at);
    case Element::uint64:
      return store_as<uint64_t>(value, at);
    case Element::float16:
      return store_as<uint16_t>(encode(value, half_format), at);
    case Element::float32:
      return store_as<float>(value, at);
    case Element::float64:
      return store_as<double>(value, at);
    case Element::bfloat16:
      return store_as<uint16_t>(encode(value, bfloat16_format), at);
    case Element::float8e4m3:
      return store_as<uint8_t>(encode(value, e4m3_format), at);
    case Element::float8e5m2:
      return store_as<uint8_t>(encode(value, e5m2_format), at);
  }
}

int mantissa_bits(Element element) {
  switch (element) {
    case Element::float16:
      return half_format.mantissa;
    case Element::float32:
      return 23;
    case Element::float64:
      return 52;
    case Element::bfloat16:
      return bfloat16_format.mantissa;
    case Element::float8e4m3:
      return e4m3_format.mantissa;
    case Element::float8e5m2:
      return e5m2_format.mantissa;
    default:
      return 0;
  }
}

void reduce_two(Datatype type, Reduction reduction, const std::byte* a, const std::byte* b,
                std::byte* into, int64_t count) {
  switch (type.element) {
    case Element::int8:
      return reduce_as<int8_t>(reduction, a, b, into, count);
    case Element::uint8:
      return reduce_as<uint8_t>(reduction, a, b, into, count);
    case Element::int32:
      return reduce_as<int32_t>(reduction, a, b, into, count);
    case Element::uint32:
      return reduce_as<uint32_t>(reduction, a, b, into, count);
    case Element::int64:
      return reduce_as<int64_t>(reduction, a, b, into, count);
    case Element::uint64:
      return reduce_as<uint64_t>(reduction, a, b, into, count);
    case Element::float32:
      return reduce_as<float>(reduction, a, b, into, count);
    case Element::float64:
      return reduce_as<double>(reduction, a, b, into, count);
    default:
      break;
  }
  for (int64_t i = 0; i < count * type.bytes; i += type.bytes) {
    const double left = load_element(type.element, a + i);
    const double right = load_element(type.element, b + i);
    store_element(type.element, apply(reduction, left, right), into + i);
  }
}

void reduce_into(Datatype type, Reduction reduction, const std::byte* other, std::byte* into,
                 int64_t count) {
  reduce_two(type, reduction, other, into, into, count);
}

void divide(Datatype type, std::byte* elements, int64_t count, int by) {
  for (int64_t i = 0; i < count * type.bytes; i += type.bytes) {
    const double quotient = load_element(type.element, elements + i) / by;
    store_element(type.element, mantissa_bits(type.element) == 0 ? std::trunc(quotient) : quotient,
                  elements + i);
  }
}

}  // namespace slipway::bandwidth
