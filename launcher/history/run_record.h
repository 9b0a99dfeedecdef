// A bandwidth test that was run, as the history keeps it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::history {

// One size in one placement.
struct Figure {
  int64_t size_bytes = 0;
  std::string what;  // "float, sum, out of place": what besides the size tells rows apart
  double busbw_gb_per_s = 0;
};

struct RunRecord {
  std::string id;          // of the report's content: the same report is recorded once
  std::string started;     // "2026-11-21T08:15:29Z"
  std::string cluster;     // of the node profile, or of Slurm; "unknown" without either
  std::string collective;  // "all_gather"
  int64_t nodes = 0, ranks = 0;
  std::string conditions;  // "a3-megagpu-8g, nccl, NET/FasTrak, pipelined": runs under the same
                           // conditions can be compared
  std::map<std::string, std::string> versions;  // of `driver`, `image`, `NCCL`, `Slurm`, …
  std::vector<Figure> figures;
};

// `text` is a report (schema slipway/bandwidth/1), and `name` its file, for messages. Throws Error
// if it is not one.
RunRecord parse_report(std::string_view text, const std::string& name);

// The same from a file.
RunRecord read_run(const std::filesystem::path& file);

}  // namespace slipway::history
