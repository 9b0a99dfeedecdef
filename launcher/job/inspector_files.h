// Reads what a profiler plugin of NCCL writes while a program runs, in the form of the inspector
// that comes with NCCL from 2.28.3 on (plugins/profiler/inspector). Each process has a file
// HOST-pidPID.log with JSON lines:
//
//   {"header": {"id": "0x…", "rank": 0, "n_ranks": 16, "nnodes": 2},
//    "metadata": {"inspector_output_format_version": "v4.0", "dump_timestamp_us": 1,
//                 "hostname": "n1", "pid": 123},
//    "coll_perf": {"coll": "AllReduce", "coll_sn": 7, "coll_msg_size_bytes": 4,
//                  "coll_exec_time_us": 61, "coll_timing_source": "kernel_gpu",
//                  "coll_algobw_gbs": 1.5, "coll_busbw_gbs": 2.7}}
//
// | format | NCCL | what is recorded |
// | --- | --- | --- |
// | v4.0 | 2.28, 2.29 | of each communicator, the last collective before each dump: a sample |
// | v4.0 to v4.2 | from 2.30 | the last 1024 between two dumps, of 8 KiB or more; messages between
// two ranks as "p2p_perf", with p2p_sn and so on |
// | v4.3, v4.4 | later | the same, where header and metadata are in one line of "dump_stats" and
// hold for the lines after it |
//
// Slipway's own plugin (spank-plugins/nccl_profiler) writes v4.0, but every collective, or one of
// "sampled_every" (in the metadata), with "coll_start_timestamp_us", and as "coll_pending" one that
// a rank has entered and that takes long. The ranks of a communicator share its id. "proxy_trace",
// from v4.3 on, tells nothing that is needed here. The files are the program's: what is not as
// above is skipped, and counted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/job/rank_sample.h"

namespace slipway::job {

// What a header, and the metadata beside it, say.
struct InspectorHead {
  std::string communicator;     // empty: unknown
  int64_t rank = 0, ranks = 0;  // of this process in it, and in all
  int64_t sampled_every = 1;
  std::string format = "v?";
};

// The lines of one file, in their order.
class InspectorLines {
 public:
  enum class Meaning { collective, nothing, unknown };
  // Fills in all but the job's rank, of a collective.
  Meaning read(std::string_view text, RankCollective& collective);
  // What the last unknown line was: "`rma_perf` of format v5.0".
  const std::string& unknown() const { return unknown_; }
  // Lines were skipped.
  void skip() { head_.communicator.clear(); }

 private:
  InspectorHead head_;  // the last one
  std::string unknown_;
};

// Follows the files of a folder. Reads at most so much at a time that a program with millions of
// collectives slows nothing: where a rank has many since the last call, only some of them and the
// last, chosen by their numbers, which are the same on all nodes.
class InspectorFiles {
 public:
  // `ranks`: of the job, by process; files of others are skipped. `host`: in whose files to look,
  // where several hosts may share the folder; empty: in all.
  std::vector<RankCollective> read(const std::filesystem::path& folder,
                                   const std::map<pid_t, int64_t>& ranks,
                                   const std::string& host = "");
  // Since the last call.
  UnreadLines take_unread() { return std::exchange(unread_, {}); }

 private:
  struct File {
    uintmax_t read = 0;
    InspectorLines lines;
  };
  std::map<std::string, File> files_;
  UnreadLines unread_;
};

}  // namespace slipway::job
