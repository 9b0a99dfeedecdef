// Writes records as JSON lines, in the shape of NCCL's own inspector, version 4.0 of its format.
// What is ours: `coll_start_timestamp_us`, `sampled_every`, and `coll_pending`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spank-plugins/nccl_profiler/communicator.h"

namespace slipway::nccl_profiler {

// The process that writes.
struct Author {
  char host[65];  // letters, digits, `.` and `-`
  long process = 0;
};

// A text of limited length: what does not fit is left out. Without printf, whose numbers follow the
// program's locale.
class Text {
 public:
  Text(char* begin, size_t room) : begin_(begin), room_(room) {}

  Text& operator<<(const char* text);
  Text& operator<<(uint64_t number);
  Text& operator<<(int64_t number);
  Text& operator<<(int number) { return *this << static_cast<int64_t>(number); }
  Text& hexadecimal(uint64_t number);
  Text& millionths(uint64_t number);  // 1500000: "1.500000"

  const char* data() const { return begin_; }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }
  void skip(size_t size) { size_ += size; }  // what others wrote there
  size_t room() const { return room_ - size_; }

 private:
  Text& put(char c);

  char* begin_;
  size_t room_, size_ = 0;
};

constexpr size_t longest_line = 1024;

void write_ended(Text& text, const Author& author, int64_t now, const Identity& identity,
                 const Ended& ended);
void write_waiting(Text& text, const Author& author, int64_t now, const Identity& identity,
                   const Collective& collective);

// Of NCCL's name of a type, such as "ncclBfloat16"; 0: unknown.
uint64_t bytes_of(const char* datatype);

}  // namespace slipway::nccl_profiler
