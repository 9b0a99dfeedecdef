// Keeps the connections to the agents on a job's nodes.
#include "launcher/job/agents.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/tcp.h"
#include "launcher/job/agent_connection.h"

namespace slipway::job {
namespace {

pollfd to_poll(const Wire& wire) {
  return {wire.fd(), static_cast<short>(wire.unsent() > 0 ? POLLIN | POLLOUT : POLLIN), 0};
}

AgentNews to_news(ToLauncher message) {
  return std::visit([](auto& each) { return AgentNews(std::move(each)); }, message);
}

}  // namespace

Agents::Agents(const std::vector<std::string>& nodes, std::chrono::milliseconds limit,
               std::string host, Speaker own)
    : limit_(limit), host_(std::move(host)), own_(std::move(own)), key_(random_secret()) {
  clients_.emplace(listen_for_agents(), own_);
  port_ = port_of(clients_->listener());
  for (const std::string& node : nodes) nodes_[node];
}

std::vector<AgentEvent> Agents::wait(std::chrono::milliseconds timeout, int other, bool read) {
  beat();
  std::vector<pollfd> fds = {{other, POLLIN, 0}};
  std::vector<std::pair<const std::string, Node>*> polled;  // the last of fds
  if (read) {
    if (clients_) fds.push_back({clients_->fd(), POLLIN, 0});
    for (auto& each : nodes_) {
      if (!each.second.wire) continue;
      fds.push_back(to_poll(*each.second.wire));
      polled.push_back(&each);
    }
  }
  const auto most =
      std::min<std::chrono::milliseconds>(events_.empty() ? timeout : std::chrono::milliseconds(0),
                                          std::max(limit_ / 8, std::chrono::milliseconds(10)));
  ::poll(fds.data(), fds.size(), static_cast<int>(most.count()));
  if (!read) {
    for (auto& [name, node] : nodes_) node.last_message = Clock::now();
    return std::exchange(events_, {});
  }
  if (clients_) {
    for (PendingClients::Arrival& arrival : clients_->poll()) admit(std::move(arrival));
    if (missing() == 0 && !may_join_) clients_.reset();
  }
  const size_t first = fds.size() - polled.size();
  for (size_t i = 0; i < polled.size(); ++i)
    if (auto& [name, node] = *polled[i]; node.state == State::here)
      receive(name, node, fds[first + i].revents != 0);
  return std::exchange(events_, {});
}

// A peer that cannot prove that it is an agent is dropped without an answer.
void Agents::admit(PendingClients::Arrival arrival) {
  const auto proven = check_answer(key_, agent_purpose, arrival.greeting, arrival.answer);
  if (!proven) return;
  const std::string confirmation =
      make_confirmation(key_, agent_purpose, arrival.greeting, arrival.answer);
  (void)!::send(arrival.socket.get(), confirmation.data(), confirmation.size(),
                MSG_NOSIGNAL | MSG_DONTWAIT);
  const std::string& name = proven->claim;
  Node* const found = node_of(name);
  if (found == nullptr) return;
  Node& node = *found;
  // The same text for each node with this version.
  if (proven->speaker.protocol != own_.protocol)
    return lose(name, node, version_mismatch(host_, own_, "there", proven->speaker), true);
  if (node.state != State::awaited) events_.push_back({name, Joined{}});
  node.state = State::here;
  node.last_message = Clock::now();
  node.wire = std::make_unique<Wire>(std::move(arrival.socket), longest_message);
}

void Agents::open_to_others(std::function<bool(const std::string&)> may_join) {
  may_join_ = std::move(may_join);
}

void Agents::give_up_missing() {
  for (auto& [name, node] : nodes_)
    if (node.state == State::awaited) node.state = State::gone;
}

Agents::Node* Agents::node_of(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found != nodes_.end() && found->second.state == State::awaited) return &found->second;
  if (found != nodes_.end() && found->second.state == State::here) return nullptr;
  if (!may_join_ || !may_join_(name)) return nullptr;
  Node& node = nodes_[name];
  node.state = State::gone;
  return &node;
}

std::map<std::string, std::string> Agents::addresses() const {
  std::map<std::string, std::string> names;
  for (const auto& [name, node] : nodes_) {
    if (!node.wire) continue;
    const std::string address = peer_address(node.wire->fd());
    if (address != "0.0.0.0" && address != "127.0.0.1") names[address] = name;
  }
  return names;
}

void Agents::receive(const std::string& name, Node& node, bool is_ready) {
  // In a large job few agents have sent something, and asking all of them takes long.
  if (!is_ready && Clock::now() - node.last_message <= limit_) return;
  node.wire->flush();
  const bool there = node.wire->receive();
  try {
    while (const auto message = node.wire->next()) {
      node.last_message = Clock::now();
      events_.push_back({name, to_news(decode<ToLauncher>(*message))});
    }
  } catch (const Error& error) {
    return refuse(name, error.what());
  }
  if (!there) return lose(name, node, "its agent closed the connection");
  if (Clock::now() - node.last_message > limit_) {
    const double seconds = static_cast<double>(limit_.count()) / 1000;
    lose(name, node, fmt::format("no heartbeat for {} s", seconds));
  }
}

void Agents::refuse(const std::string& node, const std::string& why) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end() || found->second.state == State::gone) return;
  lose(node, found->second, fmt::format("the agent on {} sent an invalid message: {}", node, why));
}

void Agents::lose(const std::string& name, Node& node, const std::string& why,
                  bool has_other_version) {
  node.state = State::gone;
  node.wire.reset();  // if it comes back, it finds the connection closed and ends its tasks
  events_.push_back({name, Gone{why, has_other_version}});
}

void Agents::beat() {
  if (Clock::now() - last_beat_ < limit_ / 8) return;
  last_beat_ = Clock::now();
  for (auto& [name, node] : nodes_) {
    if (node.wire) node.wire->put(encode(LauncherBeat{}));
  }
}

void Agents::send(const std::string& node, const ToAgent& message) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && found->second.wire) found->second.wire->put(encode(message));
}

void Agents::queue(const std::string& node, const ToAgent& message) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && found->second.wire) found->second.wire->queue(encode(message));
}

void Agents::flush() {
  for (auto& [name, node] : nodes_)
    if (node.wire && node.wire->unsent() > 0) node.wire->flush();
}

bool Agents::is_here(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second.state == State::here;
}

size_t Agents::missing() const {
  return static_cast<size_t>(std::ranges::count_if(
      nodes_, [](const auto& node) { return node.second.state == State::awaited; }));
}

}  // namespace slipway::job
