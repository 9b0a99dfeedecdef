// Tests of metrics of Slurm's state.
#include "launcher/observe/slurm_metrics.h"

#include "common/text.h"
#include "tests/unit/catch.h"

using namespace slipway::observe;
using slipway::health::parse_nodes;

namespace {

std::string text_of(const SlurmState& state) {
  MetricSet set;
  add_slurm(set, state);
  std::string samples;
  for (const std::string& line : slipway::split(set.text(), '\n')) {
    if (!line.empty() && !line.starts_with("#")) samples += line + "\n";
  }
  return samples;
}

}  // namespace

TEST_CASE("slurm metrics: a node in two partitions counts in both, and has one state") {
  const SlurmState state{parse_nodes("n-0|batch|idle|Unknown|none\n"
                                     "n-0|debug|idle|Unknown|none\n"
                                     "n-1|batch|drained*|1764104261|disk [node_problem] (slipway "
                                     "health)\n"
                                     "n-2|batch|idle~|Unknown|none\n"),
                         {}};
  CHECK(text_of(state) ==
        "slipway_slurm_nodes{partition=\"batch\",state=\"drained\"} 1\n"
        "slipway_slurm_nodes{partition=\"batch\",state=\"idle\"} 1\n"
        "slipway_slurm_nodes{partition=\"batch\",state=\"powered_down\"} 1\n"
        "slipway_slurm_nodes{partition=\"debug\",state=\"idle\"} 1\n"
        "slipway_slurm_node_state{node=\"n-0\",state=\"idle\"} 1\n"
        "slipway_slurm_node_state{node=\"n-1\",state=\"drained\"} 1\n"
        "slipway_slurm_node_state{node=\"n-2\",state=\"powered_down\"} 1\n"
        "slipway_slurm_node_drained_by{node=\"n-1\",by=\"slipway\"} 1\n");
}

TEST_CASE("slurm metrics: only running jobs have series of their own") {
  const SlurmState state{
      {},
      parse_jobs("12|RUNNING|batch|ann|physics|4|1764104261\n13|PENDING|batch|bob|(null)|1|N/A\n"
                 "a line without fields\n")};
  CHECK(
      text_of(state) ==
      "slipway_slurm_jobs{partition=\"batch\",state=\"pending\"} 1\n"
      "slipway_slurm_jobs{partition=\"batch\",state=\"running\"} 1\n"
      "slipway_slurm_job_info{job=\"12\",user=\"ann\",account=\"physics\",partition=\"batch\"} 1\n"
      "slipway_slurm_job_nodes{job=\"12\"} 4\n"
      "slipway_slurm_job_start_timestamp_seconds{job=\"12\"} 1764104261\n");
}

TEST_CASE("slurm metrics: the marks of sinfo's states") {
  CHECK(node_state("idle") == "idle");
  CHECK(node_state("down*") == "down");
  CHECK(node_state("idle~") == "powered_down");
  CHECK(node_state("allocated#") == "powering_up");
  CHECK(node_state("idle%") == "powering_down");
  CHECK(node_state("maint$") == "maint");
  CHECK(node_state("") == "unknown");
}

TEST_CASE("slurm metrics: nodes that are off are not scraped") {
  MetricSet set;
  add_slurm(set, {parse_nodes("n-0|batch|idle|Unknown|none\nn-1|batch|down*|Unknown|none\n"
                              "n-2|batch|idle~|Unknown|none\nn-3|batch|idle#|Unknown|none\n"),
                  {}});
  CHECK(scrape_targets(set.text(), 9817) ==
        "[{\"labels\":{},\"targets\":[\"n-0:9817\",\"n-1:9817\"]}]\n");
  CHECK(scrape_targets("", 1) == "[{\"labels\":{},\"targets\":[]}]\n");
}
