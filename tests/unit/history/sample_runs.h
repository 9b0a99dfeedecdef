// Recorded runs for tests.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "launcher/history/run_record.h"

namespace slipway::test {

// A run on day `day` of 2026-09 or later, with two sizes.
inline history::RunRecord sample_run(int day, double busbw, const std::string& driver) {
  return {.id = fmt::format("run {}", day),
          .started = fmt::format("2026-{:02}-{:02}T08:15:29Z", 9 + day / 30, 1 + day % 30),
          .cluster = "blue",
          .collective = "all_gather",
          .nodes = 2,
          .ranks = 16,
          .conditions = "a3-megagpu-8g, nccl, NET/FasTrak, pipelined",
          .versions = {{"driver", driver}, {"image", "slurm-12"}},
          .figures = {{1 << 20, "float, out of place", busbw / 10},
                      {int64_t{8} << 30, "float, out of place", busbw}}};
}

}  // namespace slipway::test
