// Writes records as JSON lines.
#include "spank-plugins/nccl_profiler/line.h"

#include <string.h>

namespace slipway::nccl_profiler {
namespace {

constexpr const char* timings[] = {"kernel_gpu", "kernel_cpu", "collective_cpu"};

bool is_function(const Collective& collective, const char* name) {
  return strcmp(collective.function, name) == 0;
}

// In millionths of a gigabyte per second, which are bytes per millisecond.
struct Bandwidth {
  uint64_t algorithm = 0, bus = 0;
};

// As nccl-tests and the inspector have it. NCCL counts what a rank gives for AllGather, and what it
// gets for ReduceScatter.
Bandwidth bandwidth_of(const Identity& identity, const Ended& ended) {
  if (ended.microseconds <= 0 || identity.ranks < 1) return {};
  const double ranks = identity.ranks;
  const bool shared =
      is_function(ended.collective, "AllGather") || is_function(ended.collective, "ReduceScatter");
  const double bytes = static_cast<double>(ended.collective.bytes) * (shared ? ranks : 1);
  const double algorithm = bytes * 1000 / static_cast<double>(ended.microseconds);
  double factor = 1;
  if (shared) factor = (ranks - 1) / ranks;
  if (is_function(ended.collective, "AllReduce")) factor = 2 * (ranks - 1) / ranks;
  if (algorithm > 1e18) return {};  // no such size
  return {static_cast<uint64_t>(algorithm), static_cast<uint64_t>(algorithm * factor)};
}

void write_head(Text& text, const Author& author, int64_t now, const Identity& identity,
                uint64_t stride) {
  text << "{\"header\":{\"id\":\"0x";
  text.hexadecimal(identity.id) << "\",\"rank\":" << identity.rank
                                << ",\"n_ranks\":" << identity.ranks
                                << ",\"nnodes\":" << identity.nodes;
  text << "},\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_rev\":\"slipway\","
          "\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":"
       << now << ",\"hostname\":\"" << author.host
       << "\",\"pid\":" << static_cast<int64_t>(author.process);
  if (stride > 1) text << ",\"sampled_every\":" << stride;
  text << "},";
}

void write_collective(Text& text, const char* kind, const Collective& collective) {
  text << "\"" << kind << "\":{\"coll\":\"" << collective.function
       << "\",\"coll_sn\":" << collective.sequence
       << ",\"coll_msg_size_bytes\":" << collective.bytes
       << ",\"coll_start_timestamp_us\":" << collective.entered;
}

}  // namespace

Text& Text::put(char c) {
  if (size_ < room_) begin_[size_++] = c;
  return *this;
}

Text& Text::operator<<(const char* text) {
  for (; *text != '\0'; ++text) put(*text);
  return *this;
}

Text& Text::operator<<(uint64_t number) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) put(digits[--count]);
  return *this;
}

Text& Text::operator<<(int64_t number) {
  if (number >= 0) return *this << static_cast<uint64_t>(number);
  return put('-') << -static_cast<uint64_t>(number);
}

Text& Text::hexadecimal(uint64_t number) {
  int shift = 60;
  while (shift > 0 && number >> shift == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) put("0123456789abcdef"[number >> shift & 15]);
  return *this;
}

Text& Text::millionths(uint64_t number) {
  *this << number / 1000000 << ".";
  for (uint64_t part = 100000; part > 0; part /= 10)
    put(static_cast<char>('0' + number / part % 10));
  return *this;
}

void write_ended(Text& text, const Author& author, int64_t now, const Identity& identity,
                 const Ended& ended) {
  write_head(text, author, now, identity, ended.stride);
  write_collective(text, "coll_perf", ended.collective);
  const Bandwidth bandwidth = bandwidth_of(identity, ended);
  text << ",\"coll_exec_time_us\":" << ended.microseconds << ",\"coll_timing_source\":\""
       << timings[static_cast<size_t>(ended.timing)] << "\",\"coll_algobw_gbs\":";
  text.millionths(bandwidth.algorithm) << ",\"coll_busbw_gbs\":";
  text.millionths(bandwidth.bus) << "}}\n";
}

void write_waiting(Text& text, const Author& author, int64_t now, const Identity& identity,
                   const Collective& collective) {
  write_head(text, author, now, identity, 1);
  write_collective(text, "coll_pending", collective);
  text << "}}\n";
}

uint64_t bytes_of(const char* datatype) {
  if (datatype == nullptr) return 0;
  while (*datatype != '\0' && (*datatype < '0' || *datatype > '9')) ++datatype;
  uint64_t bits = 0;
  for (; *datatype >= '0' && *datatype <= '9' && bits < 1000; ++datatype)
    bits = bits * 10 + static_cast<uint64_t>(*datatype - '0');
  return bits / 8;
}

}  // namespace slipway::nccl_profiler
