// The launcher's connections to the agents on the job's nodes.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/pending_clients.h"
#include "common/wire.h"
#include "launcher/job/protocol.h"

namespace slipway::job {

struct Gone {  // the agent is gone for good
  std::string text;
  bool has_other_version = false;  // and so will all agents on this node
};

struct Joined {};  // an agent on a node that was not part of the job, or had been lost

// A message from an agent, or the news that it is gone or new.
using AgentNews =
    std::variant<Gone, Joined, Beat, TaskText, Ended, Stopped, Energy, Health, StepSignal, PmixNews,
                 Refused, Ports, Watched, CheckpointNews, RasSaid>;

struct AgentEvent {
  std::string node;
  AgentNews news;
};

class Agents {
 public:
  using Clock = std::chrono::steady_clock;

  // An agent that is silent for `limit` is gone for good. `host` is where the launcher runs.
  Agents(const std::vector<std::string>& nodes, std::chrono::milliseconds limit, std::string host,
         Speaker own = this_program());

  int port() const { return port_; }
  const Secret& key() const { return key_; }  // agents prove that they have it

  // From now on, agents on other nodes may join, if `may_join` says so.
  void open_to_others(std::function<bool(const std::string& node)> may_join);

  // Nodes whose agents have not connected yet are gone: they may join later.
  void give_up_missing();

  // Waits until an agent or `other` is readable, or `timeout` has passed. Without `read`, agents
  // are neither read nor considered silent.
  std::vector<AgentEvent> wait(std::chrono::milliseconds timeout, int other, bool read);

  void send(const std::string& node, const ToAgent& message);
  // The same for many messages: flush() sends those that were queued for a node at once.
  void queue(const std::string& node, const ToAgent& message);
  void flush();
  // Drops an agent that sent an invalid message; the next wait() reports it as gone.
  void refuse(const std::string& node, const std::string& why);
  bool is_here(const std::string& node) const;
  size_t missing() const;  // that have not connected yet
  // From which each node's agent has connected, as in "192.0.2.2", with its name.
  std::map<std::string, std::string> addresses() const;

 private:
  enum class State { awaited, here, gone };
  struct Node {
    State state = State::awaited;
    std::unique_ptr<Wire> wire;
    Clock::time_point last_message;
  };

  void admit(PendingClients::Arrival arrival);
  // The node that an agent claims to be on, if it is awaited or may join.
  Node* node_of(const std::string& name);
  void receive(const std::string& name, Node& node, bool is_ready);
  void lose(const std::string& name, Node& node, const std::string& why,
            bool has_other_version = false);
  void beat();

  std::chrono::milliseconds limit_;
  std::string host_;
  Speaker own_;
  Secret key_;
  std::optional<PendingClients> clients_;             // empty once all agents have connected
  std::function<bool(const std::string&)> may_join_;  // empty: no others
  int port_;
  std::map<std::string, Node> nodes_;
  std::vector<AgentEvent> events_;  // for the next wait()
  Clock::time_point last_beat_ = {};
};

}  // namespace slipway::job
