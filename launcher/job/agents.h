// The agents of a job's nodes, as its launcher sees them.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/job/wire.h"

namespace slipway::job {

struct AgentEvent {
  std::string node;
  Message message;  // what the agent said, or {"is": "gone", "text": why} of ours
};

class Agents {
 public:
  using Clock = std::chrono::steady_clock;

  // An agent that is silent for `limit` is gone, and stays so.
  Agents(const std::vector<std::string>& nodes, std::chrono::milliseconds limit);

  int port() const { return port_of(listener_); }
  const std::string& token() const { return token_; }  // that an agent has to show

  // Waits until something can be read, also from `other`, or `timeout` has passed. Without `read`
  // nothing is read, and so nobody is taken for silent.
  std::vector<AgentEvent> wait(std::chrono::milliseconds timeout, int other, bool read);

  void send(const std::string& node, const Message& message);
  bool is_here(const std::string& node) const;
  size_t missing() const;  // that have not come yet

 private:
  enum class State { awaited, here, gone };
  struct Node {
    State state = State::awaited;
    std::unique_ptr<Wire> wire;
    Clock::time_point heard;
  };
  struct Stranger {  // has connected, and not said yet who it is
    Wire wire;
    Clock::time_point since;
  };

  void accept();
  void hear_strangers();
  bool admit(Stranger& stranger);
  void hear(const std::string& name, Node& node, std::vector<AgentEvent>& events);
  void lose(const std::string& name, Node& node, const std::string& why,
            std::vector<AgentEvent>& events);
  void beat();

  std::chrono::milliseconds limit_;
  std::string token_;
  Fd listener_;
  std::map<std::string, Node> nodes_;
  std::vector<Stranger> strangers_;
  Clock::time_point beaten_ = {};
};

}  // namespace slipway::job
