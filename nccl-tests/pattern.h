// The data of checked runs as patterns: what each byte of a buffer must be, at a cost for each
// element that does not depend on the number of ranks. Hosts and GPUs write and compare the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace slipway::bandwidth {

// Data that is only moved: blocks of 64-bit words, each a hash of (seed, stream, index in the
// block).
struct WordPattern {
  uint64_t seed = 0;
  uint64_t stream = 0;      // of the first block
  uint64_t step = 0;        // from the stream of a block to that of the next
  int64_t block_bytes = 0;  // a multiple of 8 if there are several blocks
};

// Data that is reduced: a hash of (start, first + index) selects each element from a table.
inline constexpr uint64_t table_entries = 1024;
struct TablePattern {
  std::vector<std::byte> table;  // table_entries elements
  uint64_t start = 0;
  int64_t first = 0;       // the index of the buffer's first element
  uint64_t tolerance = 0;  // between bit patterns, read as whole numbers
};

struct Pattern {
  int64_t element_bytes = 1;  // 1, 2, 4 or 8
  std::variant<WordPattern, TablePattern> of;
};

// The pattern with every bit inverted: wherever nothing arrives, every element is wrong.
struct Inverted {
  const Pattern& pattern;
};

// Writes patterns into buffers and compares buffers with them, wherever their memory is.
class Patterns {
 public:
  virtual ~Patterns() = default;
  virtual void fill(std::span<std::byte> buffer, const Pattern& pattern) = 0;
  virtual void fill(std::span<std::byte> buffer, Inverted pattern) = 0;
  // Adds the number of elements that differ to what take_wrong() returns. It may return before it
  // has read the buffer.
  virtual void check(std::span<const std::byte> buffer, const Pattern& pattern) = 0;
  // Waits for all checks; the sum starts again at 0.
  virtual int64_t take_wrong() = 0;
};

// In host memory.
class HostPatterns final : public Patterns {
 public:
  void fill(std::span<std::byte> buffer, const Pattern& pattern) override;
  void fill(std::span<std::byte> buffer, Inverted pattern) override;
  void check(std::span<const std::byte> buffer, const Pattern& pattern) override;
  int64_t take_wrong() override;

 private:
  int64_t wrong_ = 0;
};

// What the hash of a word pattern adds to a stream's number.
uint64_t seed_hash(uint64_t seed);

}  // namespace slipway::bandwidth
