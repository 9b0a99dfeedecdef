// Patterns in host memory.
#include "nccl-tests/pattern.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "nccl-tests/mix.h"

namespace slipway::bandwidth {
namespace {

constexpr size_t word_bytes = sizeof(uint64_t);

// Calls `each(at, bytes, word)` for every word of a buffer; at the end of a block it may be
// shorter.
template <class Each>
void for_words(size_t buffer_bytes, const WordPattern& pattern, Each each) {
  const auto block_bytes = static_cast<size_t>(pattern.block_bytes);
  for (size_t block = 0; block * block_bytes < buffer_bytes; ++block) {
    const uint64_t start = mix(seed_hash(pattern.seed) + pattern.stream + block * pattern.step + 1);
    const size_t begin = block * block_bytes;
    const size_t bytes = std::min(block_bytes, buffer_bytes - begin);
    for (size_t at = 0; at < bytes; at += word_bytes) {
      each(begin + at, std::min(word_bytes, bytes - at),
           mix(start + at / word_bytes * golden_step));
    }
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

size_t entry_of(const TablePattern& pattern, size_t index) {
  const uint64_t place = static_cast<uint64_t>(pattern.first) + index;
  return static_cast<size_t>(mix(pattern.start + place * golden_step) % table_entries);
}

template <class Bits>
void fill_from_table(std::span<std::byte> buffer, const TablePattern& pattern, bool inverted) {
  for (size_t i = 0; i < buffer.size() / sizeof(Bits); ++i) {
    Bits bits;
    std::memcpy(&bits, pattern.table.data() + entry_of(pattern, i) * sizeof bits, sizeof bits);
    if (inverted) bits = static_cast<Bits>(~bits);
    std::memcpy(buffer.data() + i * sizeof bits, &bits, sizeof bits);
  }
}

template <class Bits>
int64_t count_by_table(std::span<const std::byte> buffer, const TablePattern& pattern) {
  int64_t wrong = 0;
  for (size_t i = 0; i < buffer.size() / sizeof(Bits); ++i) {
    Bits want, got;
    std::memcpy(&want, pattern.table.data() + entry_of(pattern, i) * sizeof want, sizeof want);
    std::memcpy(&got, buffer.data() + i * sizeof got, sizeof got);
    const uint64_t distance = std::max<uint64_t>(want, got) - std::min<uint64_t>(want, got);
    wrong += distance > pattern.tolerance ? 1 : 0;
  }
  return wrong;
}

// Calls `work` with a whole number as wide as an element.
template <class Work>
auto by_width(int64_t element_bytes, Work work) {
  switch (element_bytes) {
    case 1:
      return work(uint8_t{});
    case 2:
      return work(uint16_t{});
    case 4:
      return work(uint32_t{});
    default:
      return work(uint64_t{});
  }
}

void fill_host(std::span<std::byte> buffer, const Pattern& pattern, bool inverted) {
  if (const auto* table = std::get_if<TablePattern>(&pattern.of)) {
    return by_width(pattern.element_bytes,
                    [&](auto bits) { fill_from_table<decltype(bits)>(buffer, *table, inverted); });
  }
  const auto& words = std::get<WordPattern>(pattern.of);
  for_words(buffer.size(), words, [&](size_t at, size_t bytes, uint64_t word) {
    if (inverted) word = ~word;
    std::memcpy(buffer.data() + at, &word, bytes);
  });
}

}  // namespace

uint64_t seed_hash(uint64_t seed) {
  return mix(seed + 1);
}

void HostPatterns::fill(std::span<std::byte> buffer, const Pattern& pattern) {
  fill_host(buffer, pattern, false);
}

void HostPatterns::fill(std::span<std::byte> buffer, Inverted pattern) {
  fill_host(buffer, pattern.pattern, true);
}

void HostPatterns::check(std::span<const std::byte> buffer, const Pattern& pattern) {
  if (const auto* table = std::get_if<TablePattern>(&pattern.of)) {
    wrong_ += by_width(pattern.element_bytes,
                       [&](auto bits) { return count_by_table<decltype(bits)>(buffer, *table); });
    return;
  }
  const auto& words = std::get<WordPattern>(pattern.of);
  for_words(buffer.size(), words, [&](size_t at, size_t bytes, uint64_t word) {
    std::byte want[word_bytes];
    std::memcpy(want, &word, word_bytes);
    if (std::memcmp(buffer.data() + at, want, bytes) == 0) return;
    wrong_ += differing_elements(buffer.data() + at, want, bytes,
                                 static_cast<size_t>(pattern.element_bytes));
  });
}

int64_t HostPatterns::take_wrong() {
  return std::exchange(wrong_, 0);
}

}  // namespace slipway::bandwidth
