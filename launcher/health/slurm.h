// What is done in Slurm about a verdict, and the circuit breaker that holds it back.
#pragma once

#include <chrono>
#include <ctime>
#include <string>
#include <vector>

#include "launcher/health/judge.h"

namespace slipway::health {

// Slurm's own programs. Tests have another.
class Slurm {
 public:
  virtual ~Slurm() = default;

  // One line of `sinfo --Node`: a node is there once for each of its partitions.
  struct NodeLine {
    std::string node, partition, state, reason;
    std::time_t since = 0;  // of the reason
  };
  virtual std::vector<NodeLine> nodes() = 0;
  virtual void drain(const std::string& node, const std::string& reason) = 0;
  virtual void resume(const std::string& node) = 0;
  virtual void comment(const std::string& node, const std::string& text) = 0;
  // Waits until whoever drains a node has another time of it than a drain before this call: Slurm's
  // times are whole seconds.
  virtual void let_second_pass() = 0;
  // Whether a step of any job runs on this node, also of a job that slurmctld has forgotten.
  virtual bool runs_steps() = 0;
};

// scontrol and sinfo of this machine, as root, until `end`. Throws Error.
class RealSlurm : public Slurm {
 public:
  explicit RealSlurm(std::chrono::steady_clock::time_point end) : end_(end) {}
  std::vector<NodeLine> nodes() override;
  void drain(const std::string& node, const std::string& reason) override;
  void resume(const std::string& node) override;
  void comment(const std::string& node, const std::string& text) override;
  void let_second_pass() override;
  bool runs_steps() override;

 private:
  std::string call(const std::vector<std::string>& argv) const;
  void update(const std::string& node, const std::string& what, const std::string& why = {}) const;
  std::chrono::steady_clock::time_point end_;
};

// What `sinfo --noheader --Node --format=%N|%R|%T|%H|%E` prints with SLURM_TIME_FORMAT=%s.
std::vector<Slurm::NodeLine> parse_nodes(std::string_view text);

// Whether a drain of `node` is within the breaker: of each of its partitions fewer than the limit
// are drained by us in the window. `already`: it is drained itself; then it is, when fewer were so
// before it (of the same second, by name), so that of nodes which decide at once only so many stay
// drained. The text says which partition is full; empty when none is.
std::string breaker_says(const std::vector<Slurm::NodeLine>& nodes, const std::string& node,
                         const Breaker& breaker, std::time_t now, bool already);

// Whether Slurm is to be asked or told anything about a verdict. Before and after a job it is not
// when the node is fit as before: a job of a thousand nodes would be a thousand questions at once.
// Drains are taken back in between.
bool concerns_slurm(const Verdict& verdict, const History& history);

// Drains the node of an unfit verdict, or says only so when the breaker is open; resumes a node
// that we have drained after enough clean checks; keeps its comment. Returns what was done, which
// is in verdict.slurm, too. Throws nothing: when Slurm does not answer, verdict.slurm says so.
struct Done {
  bool job_may_start = true;  // false: the node is drained, whoever drained it
};
Done act(Verdict& verdict, const Policy& policy, History& history, Slurm& slurm);

}  // namespace slipway::health
