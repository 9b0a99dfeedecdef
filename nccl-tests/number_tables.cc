// The numbers of a checked reduction.
#include "nccl-tests/number_tables.h"

#include <algorithm>
#include <cmath>

#include "nccl-tests/mix.h"

namespace slipway::bandwidth {
namespace {

// The largest n for which a type holds every whole number from 0 to n, at most 2^20.
int exact_up_to(Element element) {
  switch (element) {
    case Element::int8:
    case Element::uint8:
      return 127;
    case Element::float16:
    case Element::bfloat16:
    case Element::float8e4m3:
    case Element::float8e5m2:
      return 2 << mantissa_bits(element);
    default:
      return 1 << 20;
  }
}

// The largest e for which a sum of two numbers below 2^(e+1) stays below infinity.
int largest_exponent(Element element) {
  switch (element) {
    case Element::float8e4m3:
      return 6;
    case Element::float16:
    case Element::float8e5m2:
      return 13;
    default:
      return 30;
  }
}

int divided_up(int a, int b) {
  return (a + b - 1) / b;
}

double rounded(Element element, double value) {
  std::byte bits[sizeof(double)];
  store_element(element, value, bits);
  return load_element(element, bits);
}

// One entry of the table: what each rank gives, and the result of all.
class Entry {
 public:
  Entry(const Numbers& numbers, uint64_t index)
      : numbers_(numbers), here_(mix(numbers.seed * golden_step + index + 1)) {}

  double given(int rank) const {
    switch (numbers_.reduction) {
      case Reduction::sum:
      case Reduction::mulsum:
        return addend(rank);
      case Reduction::prod:
        return factor(rank);
      case Reduction::max:
        return winner() - (rank == chosen() ? 0 : below(rank));
      case Reduction::min:
        return -winner() + top() + (rank == chosen() ? 0 : below(rank));
      case Reduction::avg:
        return share(rank);
    }
    return 0;
  }

  double expected() const {
    if (numbers_.reduction == Reduction::avg) return mean();
    double all = given(0) * (numbers_.reduction == Reduction::mulsum ? factor_of(0) : 1);
    for (int rank = 1; rank < numbers_.ranks; ++rank) {
      const double other = given(rank);
      if (numbers_.reduction == Reduction::prod)
        all *= other;
      else if (numbers_.reduction == Reduction::max)
        all = std::max(all, other);
      else if (numbers_.reduction == Reduction::min)
        all = std::min(all, other);
      else
        all += other * (numbers_.reduction == Reduction::mulsum ? factor_of(rank) : 1);
    }
    return all;
  }

 private:
  uint64_t random(int rank) const { return mix(here_ + static_cast<uint64_t>(rank) + 1); }
  int limit() const { return exact_up_to(numbers_.type.element); }
  bool is_whole() const { return mantissa_bits(numbers_.type.element) == 0; }
  int chosen() const { return static_cast<int>(here_ >> 33) % numbers_.ranks; }

  // Of a sum: from 0 to a range that all ranks together do not exceed. If there are more ranks than
  // an exact sum allows, only every stride-th rank contributes.
  double addend(int rank) const {
    const int most = limit() / (numbers_.reduction == Reduction::mulsum ? 2 : 1);
    const auto stride = static_cast<uint64_t>(divided_up(numbers_.ranks, most));
    const auto range = static_cast<uint64_t>(std::clamp(most / numbers_.ranks, 1, 127));
    if ((here_ + static_cast<uint64_t>(rank)) % stride != 0) return 0;
    return static_cast<double>(random(rank) % (range + 1));
  }

  // Of a product: one rank gives a number with a fraction, a few give 2, the others 1, so that the
  // product is exact in any order. How many give 2 differs from entry to entry.
  double factor(int rank) const {
    constexpr int most_twos = 5;
    if (rank == chosen()) return mantissa(random(rank));
    const int twos = 1 + static_cast<int>(here_ >> 3 & 0xff) % most_twos;
    const auto stride = static_cast<uint64_t>(std::max(2, divided_up(numbers_.ranks, twos)));
    return (here_ + static_cast<uint64_t>(rank)) % stride == 0 ? 2 : 1;
  }

  // From 1 to below 2; of whole numbers 1 or 3.
  double mantissa(uint64_t hash) const {
    if (is_whole()) return static_cast<double>(hash % 2 * 2 + 1);
    const int bits = std::min(mantissa_bits(numbers_.type.element), 20);
    return 1 + std::ldexp(static_cast<double>(hash >> (64 - bits)), -bits);
  }

  // Of a maximum: the chosen rank's number, and how far another's is below it. A minimum is its
  // mirror image.
  double top() const { return std::min(limit(), 120); }
  double winner() const {
    return std::ceil(top() / 2) + static_cast<double>(here_ % static_cast<uint64_t>(top() / 2));
  }
  double below(int rank) const {
    return 1 + static_cast<double>(random(rank) % static_cast<uint64_t>(std::ceil(top() / 2)));
  }

  // Of a mean: two ranks give anything but zero, so that the order of the sum does not matter.
  // Their numbers are large enough for the mean to have a fraction, as far as the type holds their
  // sum.
  int second() const {
    const auto others = static_cast<uint64_t>(numbers_.ranks - 1);
    return (chosen() + 1 + static_cast<int>((here_ >> 13 & 0xffffff) % others)) % numbers_.ranks;
  }
  double share(int rank) const {
    const bool first = rank == chosen();
    if (numbers_.ranks > 1 && !first && rank != second()) return 0;
    if (!is_whole()) {
      const int exponent = std::min(static_cast<int>(std::log2(numbers_.ranks)),
                                    largest_exponent(numbers_.type.element));
      return std::ldexp(mantissa(random(rank)), exponent);
    }
    const double sum = whole_sum();
    const double part = static_cast<double>(random(chosen()) % static_cast<uint64_t>(sum + 1));
    return numbers_.ranks == 1 ? sum : first ? part : sum - part;
  }
  double whole_sum() const {
    const uint64_t most =
        numbers_.type.element == Element::uint8 ? 255 : static_cast<uint64_t>(limit());
    return static_cast<double>(most - here_ % (most / 2));
  }
  double mean() const {
    const int n = numbers_.ranks;
    if (is_whole()) return std::trunc(whole_sum() / n);
    const Element element = numbers_.type.element;
    const double first = rounded(element, share(chosen()) / n);
    return n == 1 ? first : rounded(element, first + rounded(element, share(second()) / n));
  }

  const Numbers& numbers_;
  uint64_t here_;
};

template <class Value>
Pattern table_of(const Numbers& numbers, int64_t first, Value value) {
  const auto bytes = static_cast<size_t>(numbers.type.bytes);
  TablePattern pattern;
  pattern.table.resize(table_entries * bytes);
  for (uint64_t i = 0; i < table_entries; ++i) {
    store_element(numbers.type.element, value(Entry(numbers, i)), pattern.table.data() + i * bytes);
  }
  pattern.start = seed_hash(numbers.seed) ^ 0x6e756d6265727300U;
  pattern.first = first;
  return {.element_bytes = numbers.type.bytes, .of = std::move(pattern)};
}

}  // namespace

double factor_of(int rank) {
  return 1 + rank % 2;
}

Pattern given_numbers(const Numbers& numbers, int rank, int64_t first) {
  return table_of(numbers, first, [&](const Entry& entry) { return entry.given(rank); });
}

Pattern expected_numbers(const Numbers& numbers, int64_t first) {
  Pattern pattern = table_of(numbers, first, [](const Entry& entry) { return entry.expected(); });
  const bool inexact =
      numbers.reduction == Reduction::avg && mantissa_bits(numbers.type.element) > 0;
  std::get<TablePattern>(pattern.of).tolerance = inexact ? 2 : 0;
  return pattern;
}

}  // namespace slipway::bandwidth
