// The ranks of a scan on real nodes: each waits for what rank 0 asks, and measures its part of a
// pair in a process of its own. A rank that dies or stops answering leaves the scan, which goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/launch.h"
#include "nccl-tests/mesh.h"
#include "nccl-tests/scan.h"
#include "nccl-tests/scan_levels.h"
#include "nccl-tests/scan_pair.h"

namespace slipway::bandwidth {

struct AgentSettings {
  std::vector<std::string> arguments;  // of the processes that measure
  double limit_seconds = 60;           // of a pair, with the time to connect
  bool on_gpus = false;                // the pairs, with NCCL
};

class ScanAgents {
 public:
  // Connects all ranks; collective. Throws Error if they do not meet.
  ScanAgents(const Launch& launch, AgentSettings settings);

  int rank() const { return mesh_.rank(); }

  // On the others: does what rank 0 asks, until the scan ends. Throws Error if rank 0 has gone.
  void serve();

  // On rank 0: the nodes that answered, in order of their first rank.
  const std::vector<ScanNode>& nodes() const { return nodes_; }
  // Nodes that have left are added to `lost`.
  std::vector<PairResult> measure(const Round& round, int number, std::map<int, std::string>& lost);
  // On rank 0: what `node` reaches by itself, and through each of its interfaces with `partner`, in
  // each direction. The interfaces are measured over TCP, whatever the pairs use.
  std::vector<NodeLevel> examine(int node, int partner, std::map<int, std::string>& lost);
  // On rank 0: burns the GPUs of all nodes at the same time.
  std::vector<NodeBurn> burn(double seconds, std::map<int, std::string>& lost);
  // The transport that the pairs used, as far as they could tell.
  const std::string& transport() const { return transport_; }
  int ranks_of_pair() const;
  void end();

 private:
  struct Agent {
    int rank = 0, node = -1;
    std::string address;     // of its node
    std::string interfaces;  // of its node: "enp0s12=10.0.0.7,enp6s0=10.1.0.7"
    bool has_left = false;
  };
  struct Part {  // of a rank in a round
    int rank = 0;
    size_t pair = 0;
  };

  void meet_all();
  void share_key();
  void take_hello(Agent& agent, const std::string& hello);
  std::vector<Part> ask(const Round& round, int number);
  Agent* first_agent_of(int node);
  NodeLevel gpus_together(int node, std::map<int, std::string>& lost);
  void hand_out(const Agent& agent, const PairRank& part, std::optional<PairRank>& own);
  PairOutcome measure_group(const std::vector<Agent*>& group, PairRank part,
                            std::map<int, std::string>& lost);
  std::vector<PairOutcome> measure_alone(const std::vector<std::string>& tasks,
                                         std::map<int, std::string>& lost);
  std::vector<std::vector<std::string>> gpus_of_agents(std::vector<NodeBurn>& burned,
                                                       std::map<int, std::string>& lost);
  PairOutcome answer_of(int rank, double deadline, const std::string& when,
                        std::map<int, std::string>& lost);
  void lose(Agent& agent, const std::string& why, std::map<int, std::string>& lost);

  Mesh mesh_;
  AgentSettings settings_;
  std::string first_host_;
  uint64_t token_ = 0;
  std::vector<Agent> agents_;  // on rank 0, by rank
  std::vector<ScanNode> nodes_;
  std::map<std::string, int> switches_;  // the block of each
  std::string transport_;
  std::optional<PairRank> own_part_;  // of rank 0 in this round
  int groups_examined_ = 0;
};

}  // namespace slipway::bandwidth
