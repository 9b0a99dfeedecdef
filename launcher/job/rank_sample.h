// What an agent sees of a rank from outside, for watch_judge.h.
#pragma once

#include <cstdint>
#include <string>

namespace slipway::job {

// Of the rank's process and everything that it started.
struct RankSample {
  int64_t rank = 0;
  double cpu_seconds = 0;    // since the start
  int64_t output_bytes = 0;  // since the start
  int64_t file_bytes = 0;    // read and written, since the start
  char state = 'S';          // of the process that used most CPU time, as in proc(5): R S D T t
  std::string waits_in;      // where in the kernel: "inet_csk_accept"; empty: runs, or unknown
  int64_t gpu_percent = -1;  // how busy its GPUs were in the last second; -1: not read this time
};

// A rank's part in a collective, or in a message, as a profiler plugin of NCCL reports it.
struct RankCollective {
  std::string communicator;   // the same on all of its ranks
  int64_t rank = 0;           // of the job
  int64_t ranks = 0;          // of the communicator
  int64_t sequence = 0;       // NCCL counts those of each function
  double microseconds = 0;    // from the rank's entry to its end; 0: unknown, or has yet to end
  double gb_per_second = 0;   // busbw; 0: unknown
  std::string function = {};  // "AllReduce"; of messages between two ranks: "Send" or "Recv"
  int64_t bytes = 0;
  double start_microseconds = 0;  // when the rank's program called it, since 1970; 0: unknown
  int64_t stands_for = 1;         // so many that are like it
  bool has_ended = true;
};

// Lines of a profiler plugin's files that nobody here understands: of a later format, or not from a
// plugin at all.
struct UnreadLines {
  int64_t count = 0;
  std::string first;  // "`rma_perf` of format v5.0"
};

// Messages are counted by each rank alone, and who waits for one is not late.
inline bool is_message(const RankCollective& seen) {
  return seen.function == "Send" || seen.function == "Recv";
}

}  // namespace slipway::job
