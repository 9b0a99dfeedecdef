// A Slurm for tests of what a check does in Slurm: it keeps states, reasons and the calls.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "common/error.h"
#include "launcher/health/slurm.h"
#include "launcher/health/verdict.h"
#include "tests/unit/health/support.h"

namespace slipway::health {

using Calls = std::vector<std::string>;

inline constexpr std::time_t moment = 1'800'000'000;
inline const std::string ours = "gpu_ecc GPU5: x [node_problem] (slipway health)";

class FakeSlurm : public Slurm {
 public:
  std::vector<NodeLine> nodes() override {
    if (silent) throw Error("slurmctld does not answer");
    return lines;
  }
  void drain(const std::string& node, const std::string& reason) override {
    calls.push_back("drain " + node + " " + reason);
    set(node, "drained", reason);
  }
  void resume(const std::string& node) override {
    calls.push_back("resume " + node);
    set(node, "idle", "none");
  }
  void comment(const std::string& node, const std::string& text) override {
    calls.push_back("comment " + node + " " + text);
  }
  void let_second_pass() override {
    for (const NodeLine& other : at_the_same_time) set(other.node, other.state, other.reason);
  }
  bool has_leftovers() override { return leftovers; }
  bool is_reserved(const std::string&) override {
    if (silent) throw Error("slurmctld does not answer");
    return reserved;
  }
  bool checks_deeply() override { return check_job; }
  bool starts_on_demand(const std::string&) override { return on_demand; }
  void set(const std::string& node, const std::string& state, const std::string& reason) {
    for (NodeLine& line : lines) {
      if (line.node == node) line = {node, line.partition, state, reason, moment};
    }
  }

  std::vector<NodeLine> lines, at_the_same_time;
  Calls calls;
  bool silent = false, leftovers = false, reserved = false, check_job = false, on_demand = false;
};

// Partition `gpu` with nodes n-0 … n-9.
inline FakeSlurm ten_nodes() {
  FakeSlurm slurm;
  for (int i = 0; i < 10; ++i)
    slurm.lines.push_back({fmt::format("n-{}", i), "gpu", "idle", "none", 0});
  return slurm;
}

struct Looked {
  Context context = context_with();
  History history;
  Verdict verdict;

  Done act(FakeSlurm& slurm, const std::vector<Finding>& findings) {
    CheckResults results;
    results.findings = findings;
    verdict = judge(results, context, history, moment);
    return health::act(verdict, context.policy, history, slurm);
  }
};

}  // namespace slipway::health
