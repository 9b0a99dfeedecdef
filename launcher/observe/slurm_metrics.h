// Metrics of Slurm's state: nodes, partitions and jobs.
//
// Two commands read the state for all metrics, sinfo and squeue with fixed formats, which every
// Slurm from 22.05 on has. What users choose (names of jobs, comments, paths) is not read.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/health/slurm.h"
#include "launcher/observe/metric_text.h"

namespace slipway::observe {

struct SlurmJob {
  std::string id, state, partition, user, account;
  int64_t nodes = 0;
  int64_t start = 0;  // since 1970; 0: not known
};

// Parses what `squeue --noheader --format=%A|%T|%P|%u|%a|%D|%S` prints with SLURM_TIME_FORMAT=%s.
std::vector<SlurmJob> parse_jobs(std::string_view text);

// A state as sinfo has it ("drained*") without the mark of its second part; "powered_down" and the
// like for the marks of nodes that are off. https://slurm.schedmd.com/sinfo.html, NODE STATE CODES
std::string node_state(std::string_view state);

struct SlurmState {
  std::vector<health::Slurm::NodeLine> nodes;
  std::vector<SlurmJob> jobs;
};

// Throws Error if slurmctld does not answer until `end`.
SlurmState read_slurm(std::chrono::steady_clock::time_point end);

void add_slurm(MetricSet& set, const SlurmState& state);

// The text of all of these, also if slurmctld does not answer within the limit.
std::string slurm_metrics(std::chrono::milliseconds limit);

// The nodes that should be up, by the text of slurm_metrics(), as JSON for Prometheus' http_sd:
// https://prometheus.io/docs/prometheus/latest/http_sd/
std::string scrape_targets(std::string_view slurm_text, int port);

}  // namespace slipway::observe
