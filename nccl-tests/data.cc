// The data of a checked run: what each rank sends, and how many elements arrived wrong.
#include "nccl-tests/data.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace slipway::bandwidth {
namespace {

constexpr size_t word_bytes = sizeof(uint64_t);

// The finalizer of splitmix64 (Steele, Lea, Flood 2014): every input bit moves half of the output.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// The words of one stream.
class Words {
 public:
  Words(uint64_t seed, int stream)
      : start_(mix(mix(seed + 1) + static_cast<uint64_t>(stream) + 1)) {}
  uint64_t operator[](size_t index) const { return mix(start_ + index * 0x9e3779b97f4a7c15U); }

 private:
  uint64_t start_;
};

// Calls `each(at, bytes, word)` for every word of a block; the last word may be shorter.
template <class Each>
void for_words(size_t block_bytes, uint64_t seed, int stream, Each each) {
  const Words words(seed, stream);
  for (size_t at = 0; at < block_bytes; at += word_bytes) {
    each(at, std::min(word_bytes, block_bytes - at), words[at / word_bytes]);
  }
}

int64_t differing_elements(const std::byte* got, const std::byte* want, size_t bytes,
                           size_t element_bytes) {
  int64_t count = 0;
  for (size_t at = 0; at < bytes; at += element_bytes) {
    count += std::memcmp(got + at, want + at, element_bytes) != 0 ? 1 : 0;
  }
  return count;
}

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

int divided_up(int a, int b) {
  return (a + b - 1) / b;
}

// The number that each rank contributes at each index.
class Giver {
 public:
  explicit Giver(const Numbers& numbers)
      : numbers_(numbers), start_(mix(mix(numbers.seed + 1) ^ 0x6e756d6265727300U)) {
    const int limit = exact_up_to(numbers.type.element);
    // If there are more ranks than an exact sum allows, only every stride-th rank contributes.
    stride_ = divided_up(numbers.ranks, limit);
    range_ = static_cast<uint64_t>(std::clamp(limit / numbers.ranks, 1, 127));
    // At most six ranks contribute a two, a product of 64; never all of them do.
    if (numbers.reduction == Reduction::prod) stride_ = std::max(2, divided_up(numbers.ranks, 6));
  }

  double operator()(int rank, int64_t index) const {
    const uint64_t here = mix(start_ + static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15U);
    const auto turn = (here + static_cast<uint64_t>(rank)) % static_cast<uint64_t>(stride_);
    const uint64_t own = mix(here + static_cast<uint64_t>(rank) + 1);
    switch (numbers_.reduction) {
      case Reduction::sum:
      case Reduction::avg:
        return turn == 0 ? static_cast<double>(own % (range_ + 1)) : 0;
      case Reduction::prod:
        return turn == 0 ? 2 : 1;
      case Reduction::max:
      case Reduction::min:
        return static_cast<double>(own % 8);
    }
    return 0;
  }

  double expected(int64_t index) const {
    double all = (*this)(0, index);
    for (int rank = 1; rank < numbers_.ranks; ++rank) {
      const double other = (*this)(rank, index);
      switch (numbers_.reduction) {
        case Reduction::sum:
        case Reduction::avg:
          all += other;
          break;
        case Reduction::prod:
          all *= other;
          break;
        case Reduction::max:
          all = std::max(all, other);
          break;
        case Reduction::min:
          all = std::min(all, other);
          break;
      }
    }
    if (numbers_.reduction != Reduction::avg) return all;
    all /= numbers_.ranks;
    return mantissa_bits(numbers_.type.element) == 0 ? std::trunc(all) : all;
  }

 private:
  Numbers numbers_;
  uint64_t start_;
  int stride_ = 1;
  uint64_t range_ = 1;
};

// A mean of floating-point numbers depends on whether they are divided before or after the sum. The
// difference is at most one rounding for each rank, and one more.
bool near_enough(const Numbers& numbers, double got, double want) {
  const int bits = mantissa_bits(numbers.type.element);
  if (numbers.reduction != Reduction::avg || bits == 0) return false;
  return std::fabs(got - want) <= std::fabs(want) * std::ldexp(numbers.ranks + 1, -bits);
}

}  // namespace

void fill(std::span<std::byte> block, uint64_t seed, int stream) {
  for_words(block.size(), seed, stream, [&](size_t at, size_t bytes, uint64_t word) {
    std::memcpy(block.data() + at, &word, bytes);
  });
}

void poison(std::span<std::byte> block, uint64_t seed, int stream) {
  for_words(block.size(), seed, stream, [&](size_t at, size_t bytes, uint64_t word) {
    word = ~word;
    std::memcpy(block.data() + at, &word, bytes);
  });
}

int64_t count_mismatches(std::span<const std::byte> block, int64_t element_bytes, uint64_t seed,
                         int stream) {
  int64_t wrong = 0;
  for_words(block.size(), seed, stream, [&](size_t at, size_t bytes, uint64_t word) {
    std::byte want[word_bytes];
    std::memcpy(want, &word, word_bytes);
    if (std::memcmp(block.data() + at, want, bytes) == 0) return;
    wrong += differing_elements(block.data() + at, want, bytes, static_cast<size_t>(element_bytes));
  });
  return wrong;
}

void fill_numbers(std::span<std::byte> block, const Numbers& numbers, int rank) {
  const Giver give(numbers);
  const auto bytes = static_cast<size_t>(numbers.type.bytes);
  for (size_t i = 0; i < block.size() / bytes; ++i) {
    store_element(numbers.type.element, give(rank, static_cast<int64_t>(i)),
                  block.data() + i * bytes);
  }
}

void poison_numbers(std::span<std::byte> block, const Numbers& numbers, int64_t first) {
  const Giver give(numbers);
  const auto bytes = static_cast<size_t>(numbers.type.bytes);
  for (size_t i = 0; i < block.size() / bytes; ++i) {
    std::byte* const at = block.data() + i * bytes;
    store_element(numbers.type.element, give.expected(first + static_cast<int64_t>(i)), at);
    std::transform(at, at + bytes, at, [](std::byte byte) { return ~byte; });
  }
}

int64_t count_wrong_numbers(std::span<const std::byte> block, const Numbers& numbers,
                            int64_t first) {
  const Giver give(numbers);
  const Element element = numbers.type.element;
  const auto bytes = static_cast<size_t>(numbers.type.bytes);
  int64_t wrong = 0;
  for (size_t i = 0; i < block.size() / bytes; ++i) {
    const std::byte* const at = block.data() + i * bytes;
    const double expected = give.expected(first + static_cast<int64_t>(i));
    std::byte want[sizeof(double)];
    store_element(element, expected, want);
    if (std::memcmp(at, want, bytes) == 0) continue;
    wrong += near_enough(numbers, load_element(element, at), expected) ? 0 : 1;
  }
  return wrong;
}

}  // namespace slipway::bandwidth
