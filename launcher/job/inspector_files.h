// Reads what NCCL's inspector writes while a program runs: a profiler plugin that comes with NCCL
// (plugins/profiler/inspector), from 2.27 on. A process appends JSON lines to a file of its own:
//
//   {"header": {"id": "0x…", "rank": 0, "n_ranks": 16, "nnodes": 2},
//    "metadata": {"hostname": "n1", "pid": 123, "dump_timestamp_us": 1},
//    "coll_perf": {"coll": "AllReduce", "coll_sn": 7, "coll_msg_size_bytes": 4,
//                  "coll_exec_time_us": 61, "coll_algobw_gbs": 1.5, "coll_busbw_gbs": 2.7}}
//
// The ranks of a communicator share its id. The files are the program's: what is not as above is
// skipped.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/rank_sample.h"

namespace slipway::job {

// A line, with the process that wrote it.
struct InspectorLine {
  pid_t pid = 0;
  RankCollective collective;  // without the job's rank
};

// False if the line is not a collective.
bool parse_inspector_line(std::string_view text, InspectorLine& line);

// Follows the files of a folder. Reads at most so much at a time that a program with millions of
// collectives slows nothing: of a communicator with many since the last call, only those whose
// number is a multiple of 16, or 256, which are the same on all nodes.
class InspectorFiles {
 public:
  // `ranks`: of the job, by process; lines of other processes are skipped.
  std::vector<RankCollective> read(const std::filesystem::path& folder,
                                   const std::map<pid_t, int64_t>& ranks);

 private:
  std::map<std::string, uintmax_t> files_;  // how far each was read
};

}  // namespace slipway::job
