// The agents of a job's nodes.
#include "launcher/job/agents.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "common/error.h"

namespace slipway::job {
namespace {

constexpr size_t largest_hello = 4096;
constexpr size_t largest_message = size_t{64} << 20;
constexpr size_t most_strangers = 8192;
constexpr auto hello_limit = std::chrono::seconds(10);

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw_errno("getrandom");
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

pollfd to_poll(const Wire& wire) {
  return {wire.fd(), static_cast<short>(wire.unsent() > 0 ? POLLIN | POLLOUT : POLLIN), 0};
}

}  // namespace

Agents::Agents(const std::vector<std::string>& nodes, std::chrono::milliseconds limit)
    : limit_(limit), token_(random_token()), listener_(listen_for_agents()) {
  for (const std::string& node : nodes) nodes_[node];
}

std::vector<AgentEvent> Agents::wait(std::chrono::milliseconds timeout, int other, bool read) {
  beat();
  std::vector<pollfd> fds = {{other, POLLIN, 0}};
  if (read) {
    fds.push_back({listener_.get(), POLLIN, 0});
    for (const Stranger& stranger : strangers_) fds.push_back(to_poll(stranger.wire));
    for (const auto& [name, node] : nodes_) {
      if (node.wire) fds.push_back(to_poll(*node.wire));
    }
  }
  const auto most = std::min<std::chrono::milliseconds>(
      timeout, std::max(limit_ / 8, std::chrono::milliseconds(10)));
  ::poll(fds.data(), fds.size(), static_cast<int>(most.count()));
  std::vector<AgentEvent> events;
  if (!read) {
    for (auto& [name, node] : nodes_) node.heard = Clock::now();
    return events;
  }
  accept();
  hear_strangers();
  for (auto& [name, node] : nodes_) {
    if (node.state == State::here) hear(name, node, events);
  }
  return events;
}

void Agents::accept() {
  while (strangers_.size() < most_strangers) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return;
    strangers_.push_back({Wire(std::move(fd), largest_hello), Clock::now()});
  }
}

void Agents::hear_strangers() {
  std::vector<Stranger> left;
  for (Stranger& stranger : strangers_) {
    const bool there = stranger.wire.receive();
    if (admit(stranger)) continue;
    if (there && Clock::now() - stranger.since < hello_limit) left.push_back(std::move(stranger));
  }
  strangers_ = std::move(left);
}

// True when the stranger is one no more: an agent, or sent away.
bool Agents::admit(Stranger& stranger) {
  try {
    const auto hello = stranger.wire.next();
    if (!hello) return false;
    const auto node = nodes_.find(hello->at("node").get<std::string>());
    const bool knows = hello->at("is") == "hello" && hello->at("token") == token_;
    if (!knows || node == nodes_.end() || node->second.state != State::awaited) return true;
    node->second.state = State::here;
    node->second.heard = Clock::now();
    node->second.wire = std::make_unique<Wire>(std::move(stranger.wire));
    node->second.wire->allow(largest_message);
  } catch (const std::exception&) {
    // Whoever it was, it was no agent of ours.
  }
  return true;
}

void Agents::hear(const std::string& name, Node& node, std::vector<AgentEvent>& events) {
  node.wire->flush();
  const bool there = node.wire->receive();
  try {
    while (auto message = node.wire->next()) {
      node.heard = Clock::now();
      if (message->at("is") == "gone") throw Error("it says that it is gone");
      events.push_back({name, std::move(*message)});
    }
  } catch (const std::exception& error) {
    return lose(name, node, fmt::format("its agent talks nonsense: {}", error.what()), events);
  }
  if (!there) return lose(name, node, "the connection to its agent has ended", events);
  if (Clock::now() - node.heard > limit_) {
    const double seconds = static_cast<double>(limit_.count()) / 1000;
    lose(name, node, fmt::format("no heartbeat for {} s", seconds), events);
  }
}

void Agents::lose(const std::string& name, Node& node, const std::string& why,
                  std::vector<AgentEvent>& events) {
  node.state = State::gone;
  node.wire.reset();  // if it comes back, it finds out that it is out, and ends its tasks
  events.push_back({name, {{"is", "gone"}, {"text", why}}});
}

void Agents::beat() {
  if (Clock::now() - beaten_ < limit_ / 8) return;
  beaten_ = Clock::now();
  for (auto& [name, node] : nodes_) {
    if (node.wire) node.wire->put({{"do", "beat"}});
  }
}

void Agents::send(const std::string& node, const Message& message) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && found->second.wire) found->second.wire->put(message);
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
