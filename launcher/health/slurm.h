// Acts on a verdict in Slurm, limited by a circuit breaker; keeps jobs away from a node whose deep
// checks are due.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "common/process.h"
#include "launcher/health/judge.h"

namespace slipway::health {

// The reservation of the nodes whose deep checks are due; launcher/node/admission.h keeps it.
inline constexpr const char* deep_reservation = "slipway-deep-checks";

// Runs Slurm's programs. Tests use a fake.
class Slurm {
 public:
  virtual ~Slurm() = default;

  // A line of `sinfo --Node`: a node has one for each of its partitions.
  struct NodeLine {
    std::string node, partition, state, reason;
    std::time_t since = 0;  // when the reason was set
  };
  virtual std::vector<NodeLine> nodes() = 0;
  virtual void drain(const std::string& node, const std::string& reason) = 0;
  virtual void resume(const std::string& node) = 0;
  virtual void comment(const std::string& node, const std::string& text) = 0;
  // Waits until later drains get a later time than those before this call: Slurm's times are in
  // whole seconds.
  virtual void let_second_pass() = 0;
  // Whether a step of any job runs on this node, even of a job that slurmctld has forgotten, or a
  // process that was killed has not ended.
  virtual bool has_leftovers() = 0;
  // Whether the node is in `deep_reservation`.
  virtual bool is_reserved(const std::string& node) = 0;
  // Whether this is the prolog of a job in `deep_reservation`.
  virtual bool checks_deeply() = 0;
  // Whether Slurm starts the node when a job needs it.
  virtual bool starts_on_demand(const std::string& node) = 0;
};

// Runs scontrol and sinfo on this machine, as root, until `end`. Throws Error.
class RealSlurm : public Slurm {
 public:
  // `job`: the job whose prolog this is, if any.
  explicit RealSlurm(std::chrono::steady_clock::time_point end, std::string job = {})
      : end_(end), job_(std::move(job)) {}
  std::vector<NodeLine> nodes() override;
  void drain(const std::string& node, const std::string& reason) override;
  void resume(const std::string& node) override;
  void comment(const std::string& node, const std::string& text) override;
  void let_second_pass() override;
  bool has_leftovers() override;
  bool is_reserved(const std::string& node) override;
  bool checks_deeply() override;
  bool starts_on_demand(const std::string& node) override;

 private:
  ProcessOptions until_end() const;
  std::string call(const std::vector<std::string>& argv) const;
  bool is_named(const std::string& node, const std::string& host_list) const;
  void update(const std::string& node, const std::string& what, const std::string& why = {}) const;
  std::chrono::steady_clock::time_point end_;
  std::string job_;
};

// SuspendExcNodes in what `scontrol show config` prints: a host list; empty where nothing starts on
// demand.
std::string always_on_nodes(std::string_view config);

// The nodes in what `scontrol --oneliner show reservation NAME` printed: a host list; nothing if
// the reservation does not exist. Throws Error if it failed otherwise.
std::optional<std::string> nodes_of_reservation(const ProcessResult& shown);

// The value of a field "Nodes=n-[0-3]" in what `scontrol --oneliner show` prints; empty if it has
// none.
std::string field_of(std::string_view text, std::string_view name);

// Parses what `sinfo --noheader --Node --format=%N|%R|%T|%H|%E` prints with SLURM_TIME_FORMAT=%s.
std::vector<Slurm::NodeLine> parse_nodes(std::string_view text);

// Whether the breaker allows draining `node`: in each of its partitions, we drained fewer nodes
// than the limit within the window. `already`: the node is drained; then only earlier drains count
// (within the same second, by name), so that of nodes that decide at the same time only that many
// stay drained. Returns which partition is at its limit; empty if none is.
std::string breaker_says(const std::vector<Slurm::NodeLine>& nodes, const std::string& node,
                         const Breaker& breaker, std::time_t now, bool already);

// Whether to contact Slurm about a verdict. Before and after a job, do not if the node is as fit as
// before: a job of a thousand nodes would send a thousand requests at once. Periodic checks lift
// drains.
bool concerns_slurm(const Verdict& verdict, const History& history);

// Drains the node of an unfit verdict, or only reports it if the breaker is open; resumes a node
// that we drained after enough clean checks; updates its comment. Returns what was done, also in
// verdict.slurm. Throws nothing: if Slurm does not answer, verdict.slurm reports it.
struct Done {
  bool job_may_start = true;  // false: the node is drained, by Slipway or someone else
  bool slurm_answered = true;
};
Done act(Verdict& verdict, const Policy& policy, History& history, Slurm& slurm);

}  // namespace slipway::health
