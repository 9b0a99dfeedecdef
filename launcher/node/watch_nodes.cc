// Telling Slurm of nodes that are dead: the watch on the controller.
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

#include "common/error.h"
#include "common/fd.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/dead_nodes.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

using Clock = DeadNodes::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto interval = seconds(5);        // between questions while nodes are busy
constexpr auto idle_interval = seconds(15);  // while none is
constexpr milliseconds answer_limit = seconds(3);
constexpr const char* reason = "slipway: the node is off or out of reach";

std::vector<NodeState> ask_slurm() {
  ProcessOptions options;
  options.deadline = seconds(30);
  return parse_node_states(run_checked({"/usr/bin/sinfo", "--noheader", "--Node", "--all",
                                        "--Format=NodeHost:|,StateComplete:|,Reason:|"},
                                       options));
}

// A connection that is under way; none when there is an answer already, or there will be none.
struct Question {
  std::string host;
  Fd fd;
};

bool is_answer(int code) {
  return code == 0 || code == ECONNREFUSED;
}

void begin_question(const std::string& host, int port, std::vector<Question>& questions,
                    std::set<std::string>& answered) {
  addrinfo hints = {};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) throw_errno("cannot make a socket");
  const int code = ::connect(fd.get(), found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
  if (is_answer(code)) answered.insert(host);
  if (code == EINPROGRESS) questions.push_back({host, std::move(fd)});
}

bool is_busy(const NodeState& state) {
  return state.is_waited_for() || state.flags.contains("allocated") ||
         state.flags.contains("mixed");
}

void tell_slurm_of(const std::string& node, const std::vector<NodeState>& states) {
  const auto known = std::ranges::find(states, node, &NodeState::node);
  // What the node was drained for is still wrong with it.
  const bool keeps =
      known != states.end() && known->flags.contains("drain") && !known->reason.empty();
  ProcessOptions options;
  options.deadline = seconds(30);
  run_checked({"/usr/bin/scontrol", "update", "nodename=" + node, "state=down",
               "reason=" + (keeps ? known->reason : std::string(reason))},
              options);
}

// Returns the time until the next look.
seconds look(DeadNodes& nodes, const Watch& watch) {
  const std::vector<NodeState> states = ask_slurm();
  const std::vector<std::string> asked = nodes.to_ask(states, Clock::now());
  if (!asked.empty()) {
    const std::set<std::string> answered = who_answers(asked, slurmd_port, answer_limit);
    std::vector<std::string> dead =
        nodes.dead({asked.begin(), asked.end()}, answered, Clock::now());
    if (!dead.empty() && watch.confirm) dead = watch.confirm(dead);
    for (const std::string& node : dead) {
      tell_slurm_of(node, states);
      watch.say(fmt::format("{} does not answer, and Slurm waits for it: it is down", node));
    }
  }
  return std::ranges::any_of(states, is_busy) ? interval : idle_interval;
}

}  // namespace

std::set<std::string> who_answers(const std::vector<std::string>& hosts, int port,
                                  milliseconds limit) {
  std::set<std::string> answered;
  std::vector<Question> questions;
  for (const std::string& host : hosts) begin_question(host, port, questions, answered);
  for (const auto end = Clock::now() + limit; !questions.empty();) {
    std::vector<pollfd> fds;
    for (const Question& each : questions) fds.push_back({each.fd.get(), POLLOUT, 0});
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left.count() <= 0) break;
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) <= 0) continue;
    for (size_t i = questions.size(); i-- > 0;) {
      if (fds[i].revents == 0) continue;
      int code = 0;
      socklen_t length = sizeof code;
      ::getsockopt(fds[i].fd, SOL_SOCKET, SO_ERROR, &code, &length);
      if (is_answer(code)) answered.insert(questions[i].host);
      questions.erase(questions.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return answered;
}

void watch_nodes(const Watch& watch) {
  DeadNodes nodes;
  std::string said;
  for (;;) {
    seconds pause = interval;
    try {
      pause = look(nodes, watch);
      said.clear();
    } catch (const Error& error) {
      // slurmctld may restart: it is said once.
      if (said != error.what()) watch.say(error.what());
      said = error.what();
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace slipway::node
