// The ranks of a scan on real nodes.
#include "nccl-tests/scan_agents.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "common/environment.h"
#include "common/error.h"
#include "common/secret.h"
#include "common/tcp.h"
#include "common/text.h"
#include "nccl-tests/run_key.h"
#include "nccl-tests/scan_level_tasks.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

// For an answer to arrive after the process that measured has ended.
constexpr double grace_seconds = 5;
constexpr double hello_seconds = 30;
constexpr std::string_view end_of_scan = "end";

// Tokens of pairs must differ from each other, and from those of other runs.
uint64_t token_of(uint64_t scan, int round, size_t pair) {
  const auto number = static_cast<uint64_t>(round) * 1000003 + pair + 1;
  return scan ^ (number * 0x9e3779b97f4a7c15U);
}

}  // namespace

ScanAgents::ScanAgents(const Launch& launch, AgentSettings settings)
    : mesh_(launch),
      settings_(std::move(settings)),
      first_host_(launch.host),
      token_(launch.token) {
  meet_all();
}

// The processes that measure prove themselves with a key that rank 0 makes.
void ScanAgents::share_key() {
  const std::string given = environment_variable(run_key_variable);
  const std::string key = given.empty() ? to_hex(random_secret()) : given;
  for (Agent& agent : agents_) {
    if (agent.rank == 0) continue;
    try {
      send_text(mesh_.socket_to(agent.rank), key, mesh_.name_of(agent.rank));
    } catch (const Error&) {  // it is missed when it has to answer
    }
  }
  ::setenv(run_key_variable, key.c_str(), 1);
}

void ScanAgents::meet_all() {
  mesh_.begin_run();  // rank 0 asks each rank itself, with time limits
  const std::string hello =
      name_of_this_node() + "\t" + switch_of_this_node() + "\t" + interfaces_of_this_node();
  if (rank() != 0) {
    send_text(mesh_.socket_to(0), hello, "rank 0");
    const std::string key = receive_text_within(mesh_.socket_to(0), now_seconds() + hello_seconds);
    ::setenv(run_key_variable, key.c_str(), 1);
    return;
  }
  std::vector<int> others;
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    agents_.push_back(
        {.rank = rank, .node = -1, .address = "", .interfaces = "", .has_left = false});
    if (rank > 0) others.push_back(rank);
  }
  mesh_.open(others);
  take_hello(agents_[0], hello);
  const double deadline = now_seconds() + hello_seconds;
  for (const int rank : others) {
    take_hello(agents_[static_cast<size_t>(rank)],
               receive_text_within(mesh_.socket_to(rank), deadline));
  }
  share_key();
}

void ScanAgents::take_hello(Agent& agent, const std::string& hello) {
  const std::vector<std::string> words = split(hello, '\t');
  if (words.size() != 3) throw Error("a rank sent an invalid description of itself");
  agent.address = agent.rank == 0 ? first_host_ : peer_address(mesh_.socket_to(agent.rank));
  agent.interfaces = words[2];
  const auto known = std::ranges::find(nodes_, words[0], &ScanNode::name);
  agent.node = static_cast<int>(known - nodes_.begin());
  if (known != nodes_.end()) return;
  // Blocks are numbered in the order in which their switches are seen.
  const auto block = switches_.emplace(words[1], static_cast<int>(switches_.size())).first->second;
  nodes_.push_back({words[0], block});
}

void ScanAgents::serve() {
  const int socket = mesh_.socket_to(0);
  for (;;) {
    const std::string asked = receive_text(socket, "rank 0");
    if (asked == end_of_scan) return;
    const PairRank part = parse_pair_rank(asked);
    const PairOutcome outcome =
        start_pair_rank(part, settings_.arguments, limit_of(part.task, settings_.limit_seconds));
    send_text(socket, to_text(outcome), "rank 0");
  }
}

int ScanAgents::ranks_of_pair() const {
  return 2 * static_cast<int>(agents_.size() / std::max<size_t>(nodes_.size(), 1));
}

// Tells every rank of a pair its part. Rank 0 remembers its own.
std::vector<ScanAgents::Part> ScanAgents::ask(const Round& round, int number) {
  std::vector<std::vector<Agent*>> of_node(nodes_.size());
  for (Agent& agent : agents_) {
    if (!agent.has_left) of_node[static_cast<size_t>(agent.node)].push_back(&agent);
  }
  own_part_.reset();
  std::vector<Part> parts;
  for (size_t i = 0; i < round.size(); ++i) {
    std::vector<Agent*> ranks = of_node[static_cast<size_t>(round[i].a)];
    const auto& of_b = of_node[static_cast<size_t>(round[i].b)];
    ranks.insert(ranks.end(), of_b.begin(), of_b.end());
    PairRank part{.rank = 0,
                  .size = static_cast<int>(ranks.size()),
                  .token = token_of(token_, number, i),
                  .host = ranks.front()->address};
    for (const Agent* agent : ranks) {
      parts.push_back({agent->rank, i});
      hand_out(*agent, part, own_part_);
      ++part.rank;
    }
  }
  return parts;
}

// Rank 0 keeps its own part in `own`.
void ScanAgents::hand_out(const Agent& agent, const PairRank& part, std::optional<PairRank>& own) {
  if (agent.rank == 0) {
    own = part;
    return;
  }
  try {
    send_text(mesh_.socket_to(agent.rank), to_text(part), mesh_.name_of(agent.rank));
  } catch (const Error&) {  // it is missed when it has to answer
  }
}

void ScanAgents::lose(Agent& agent, const std::string& why, std::map<int, std::string>& lost) {
  agent.has_left = true;
  lost.emplace(agent.node, why);
  // The other ranks of its node can do nothing without it.
  for (Agent& other : agents_) {
    if (other.node == agent.node && other.rank != 0) other.has_left = true;
  }
}

PairOutcome ScanAgents::answer_of(int rank, double deadline, const std::string& when,
                                  std::map<int, std::string>& lost) {
  Agent& agent = agents_[static_cast<size_t>(rank)];
  std::string why;
  try {
    return parse_pair_outcome(receive_text_within(mesh_.socket_to(rank), deadline));
  } catch (const Timeout&) {
    why = fmt::format("rank {} did not answer {}", rank, when);
  } catch (const Error&) {
    why = fmt::format("rank {} died {}", rank, when);
  }
  lose(agent, why, lost);
  return {.busbw_gb_per_s = 0, .transport = "", .failure = why};
}

std::vector<PairResult> ScanAgents::measure(const Round& round, int number,
                                            std::map<int, std::string>& lost) {
  const double deadline = now_seconds() + settings_.limit_seconds + grace_seconds;
  const std::vector<Part> parts = ask(round, number);
  const std::string when = fmt::format("in round {}", number + 1);
  PairOutcome own;
  if (own_part_) own = start_pair_rank(*own_part_, settings_.arguments, settings_.limit_seconds);
  std::vector<PairResult> results(round.size());
  for (size_t i = 0; i < round.size(); ++i) {
    results[i].round = number;
    results[i].pair = round[i];
  }
  for (const Part& part : parts) {
    PairResult& result = results[part.pair];
    const PairOutcome outcome = part.rank == 0 ? own : answer_of(part.rank, deadline, when, lost);
    // The rank that has left is the cause; that others miss it is a consequence.
    const bool left = agents_[static_cast<size_t>(part.rank)].has_left;
    if (!outcome.failure.empty() && (result.failure.empty() || left))
      result.failure =
          left ? outcome.failure : fmt::format("{}: {}", mesh_.name_of(part.rank), outcome.failure);
    if (outcome.busbw_gb_per_s > 0) result.busbw_gb_per_s = outcome.busbw_gb_per_s;
    if (!outcome.transport.empty()) transport_ = outcome.transport;
  }
  for (PairResult& result : results) {
    if (!result.failure.empty()) result.busbw_gb_per_s.reset();
    if (!result.busbw_gb_per_s && result.failure.empty()) result.failure = "no result";
  }
  return results;
}

void ScanAgents::end() {
  for (const Agent& agent : agents_) {
    if (agent.rank == 0) continue;
    try {
      send_text(mesh_.socket_to(agent.rank), std::string(end_of_scan), mesh_.name_of(agent.rank));
    } catch (const Error&) {  // it has gone
    }
  }
}

}  // namespace slipway::bandwidth
