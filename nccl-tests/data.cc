// The data that a rank gives in a checked run, and the count of what arrived wrong.
#include "nccl-tests/data.h"

#include <cassert>
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

// The words of one rank's data.
class Words {
 public:
  Words(uint64_t seed, int rank) : start_(mix(mix(seed + 1) + static_cast<uint64_t>(rank) + 1)) {}
  uint64_t operator[](size_t index) const { return mix(start_ + index * 0x9e3779b97f4a7c15U); }

 private:
  uint64_t start_;
};

void write(std::span<std::byte> block, uint64_t seed, int rank, uint64_t flip) {
  assert(block.size() % word_bytes == 0);
  const Words words(seed, rank);
  for (size_t i = 0; i < block.size() / word_bytes; ++i) {
    const uint64_t word = words[i] ^ flip;
    std::memcpy(block.data() + i * word_bytes, &word, word_bytes);
  }
}

int64_t differing_elements(const std::byte* got, uint64_t expected, size_t element_bytes) {
  std::byte want[word_bytes];
  std::memcpy(want, &expected, word_bytes);
  int64_t count = 0;
  for (size_t at = 0; at < word_bytes; at += element_bytes) {
    count += std::memcmp(got + at, want + at, element_bytes) != 0 ? 1 : 0;
  }
  return count;
}

}  // namespace

void fill(std::span<std::byte> block, uint64_t seed, int rank) {
  write(block, seed, rank, 0);
}

void poison(std::span<std::byte> block, uint64_t seed, int rank) {
  write(block, seed, rank, ~uint64_t{0});
}

int64_t count_mismatches(std::span<const std::byte> block, int64_t element_bytes, uint64_t seed,
                         int rank) {
  assert(block.size() % word_bytes == 0);
  const Words words(seed, rank);
  int64_t wrong = 0;
  for (size_t i = 0; i < block.size() / word_bytes; ++i) {
    const std::byte* const at = block.data() + i * word_bytes;
    const uint64_t expected = words[i];
    uint64_t got = 0;
    std::memcpy(&got, at, word_bytes);
    if (got != expected) {
      wrong += differing_elements(at, expected, static_cast<size_t>(element_bytes));
    }
  }
  return wrong;
}

}  // namespace slipway::bandwidth
