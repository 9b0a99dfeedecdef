// Arithmetic on elements of any type of NCCL.
#include "tests/fakes/nccl/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fake {
namespace {

enum { i8, u8, i32, u32, i64, u64, f16, f32, f64, bf16, e4m3, e5m2 };

struct Small {  // floating-point formats that C++ lacks
  int exponent_bits, fraction_bits;
  bool has_infinity;
};

Small small_of(int type) {
  switch (type) {
    case f16:
      return {5, 10, true};
    case bf16:
      return {8, 7, true};
    case e4m3:
      return {4, 3, false};
    default:
      return {5, 2, true};
  }
}

double value_of(unsigned bits, Small form) {
  const unsigned fraction_mask = (1U << form.fraction_bits) - 1;
  const unsigned exponent_mask = (1U << form.exponent_bits) - 1;
  const unsigned fraction = bits & fraction_mask;
  const unsigned exponent = bits >> form.fraction_bits & exponent_mask;
  const double sign = bits >> (form.fraction_bits + form.exponent_bits) & 1 ? -1 : 1;
  const int bias = (1 << (form.exponent_bits - 1)) - 1;
  if (exponent == exponent_mask && (form.has_infinity || fraction == fraction_mask))
    return form.has_infinity && fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - form.fraction_bits);
  return sign * std::ldexp(fraction + fraction_mask + 1,
                           static_cast<int>(exponent) - bias - form.fraction_bits);
}

// The nearest number, found among the two neighbors by bisection over the ordered bit patterns.
unsigned bits_of(double value, Small form) {
  const unsigned width = 1 + static_cast<unsigned>(form.exponent_bits + form.fraction_bits);
  const unsigned sign = std::signbit(value) ? 1U << (width - 1) : 0;
  const double magnitude = std::fabs(value);
  const unsigned exponents = ((1U << form.exponent_bits) - 1) << form.fraction_bits;
  const unsigned top = form.has_infinity ? exponents : exponents + (1U << form.fraction_bits) - 1;
  if (std::isnan(value)) return top | 1;
  unsigned low = 0, high = top;  // of these, value_of(low) <= magnitude
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (value_of(middle, form) <= magnitude ? low : high) = middle;
  }
  const double below = value_of(low, form);
  // Beyond the largest number, the step is that of the last two.
  const double step = high == top ? below - value_of(low - 1, form) : value_of(high, form) - below;
  const double excess = magnitude - below;
  const bool up = excess > step / 2 || (excess == step / 2 && low % 2 == 1);
  return sign | (up ? high : low);
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

double load(int type, const std::byte* at) {
  if (type == f32) return read<float>(at);
  if (type == f64) return read<double>(at);
  return value_of(bytes_of(type) == 2 ? read<uint16_t>(at) : read<uint8_t>(at), small_of(type));
}

void store(int type, std::byte* at, double value) {
  if (type == f32) return write(at, static_cast<float>(value));
  if (type == f64) return write(at, value);
  const unsigned bits = bits_of(value, small_of(type));
  if (bytes_of(type) == 2) return write(at, static_cast<uint16_t>(bits));
  write(at, static_cast<uint8_t>(bits));
}

template <class T>
T pick(int op, T a, T b) {
  if (op == op_max) return std::max(a, b);
  return std::min(a, b);
}

template <class T>
void combine_whole(int op, const std::byte* other, std::byte* into, size_t count) {
  for (size_t i = 0; i < count * sizeof(T); i += sizeof(T)) {
    const T a = read<T>(other + i), b = read<T>(into + i);
    const uint64_t wide = op == op_sum ? static_cast<uint64_t>(a) + static_cast<uint64_t>(b)
                                       : static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
    write(into + i, op <= op_prod ? static_cast<T>(wide) : pick(op, a, b));
  }
}

template <class T>
void divide_whole(std::byte* at, size_t count, int n) {
  for (size_t i = 0; i < count; ++i) {
    const T value = read<T>(at + i * sizeof(T));
    write(at + i * sizeof(T), static_cast<T>(value / static_cast<T>(n)));
  }
}

// A divisor may be larger than what one byte holds.
template <>
void divide_whole<int8_t>(std::byte* at, size_t count, int n) {
  for (size_t i = 0; i < count; ++i) write(at + i, static_cast<int8_t>(read<int8_t>(at + i) / n));
}
template <>
void divide_whole<uint8_t>(std::byte* at, size_t count, int n) {
  for (size_t i = 0; i < count; ++i) write(at + i, static_cast<uint8_t>(read<uint8_t>(at + i) / n));
}

template <class Each>
void by_whole_type(int type, Each each) {
  switch (type) {
    case i8:
      return each(int8_t{});
    case u8:
      return each(uint8_t{});
    case i32:
      return each(int32_t{});
    case u32:
      return each(uint32_t{});
    case i64:
      return each(int64_t{});
    default:
      return each(uint64_t{});
  }
}

}  // namespace

int bytes_of(int type) {
  constexpr int bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type >= 0 && type < 12 ? bytes[type] : 0;
}

bool is_whole(int type) {
  return type <= u64;
}

void combine(int type, int op, const std::byte* other, std::byte* into, size_t count) {
  if (is_whole(type)) {
    return by_whole_type(type,
                         [&](auto one) { combine_whole<decltype(one)>(op, other, into, count); });
  }
  const auto bytes = static_cast<size_t>(bytes_of(type));
  for (size_t i = 0; i < count * bytes; i += bytes) {
    const double a = load(type, other + i), b = load(type, into + i);
    store(type, into + i, op == op_sum ? a + b : op == op_prod ? a * b : pick(op, a, b));
  }
}

void scale_by_inverse(int type, std::byte* at, size_t count, int n) {
  std::byte scalar[8];
  store(type, scalar, 1.0 / n);
  multiply(type, at, count, scalar);
}

void divide(int type, std::byte* at, size_t count, int n) {
  by_whole_type(type, [&](auto one) { divide_whole<decltype(one)>(at, count, n); });
}

void multiply(int type, std::byte* at, size_t count, const std::byte* scalar) {
  const auto bytes = static_cast<size_t>(bytes_of(type));
  for (size_t i = 0; i < count * bytes; i += bytes) {
    if (is_whole(type))
      combine(type, op_prod, scalar, at + i, 1);
    else
      store(type, at + i, load(type, at + i) * load(type, scalar));
  }
}

}  // namespace fake
