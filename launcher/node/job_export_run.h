// Loads finished jobs into BigQuery, on a controller.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"
#include "launcher/node/job_export.h"
#include "launcher/node/machine.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// Where to, and what of. Tests have a sacct and a time of their own.
struct ExportOptions {
  std::filesystem::path memory;  // file with what is in the table
  std::string cluster;           // Slurm's name
  JobTable table;
  std::function<std::string(const std::vector<std::string>&)> run;  // a command's output
  int64_t until = 0;  // jobs that ended later are left to the next run; seconds since 1970
};

// Sends what has ended and is not in the table. Returns the number of rows that the table refused;
// they are sent again for a day. Throws Error if nothing could be sent: the next run tries again.
size_t export_jobs(Cloud& cloud, const Patience& patience, const ExportOptions& options,
                   const Say& say);

// The same for this controller, as Slurm's user: jobs that ended at least `settle` ago. Does
// nothing without a table in cluster.json, or if another controller is in control. Throws Error.
size_t export_jobs_here(Cloud& cloud, const Patience& patience, std::chrono::seconds settle,
                        const Say& say);

}  // namespace slipway::node
