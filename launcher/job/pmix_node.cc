// Starts, uses and ends a node's PMIx server, from its agent.
#include "launcher/job/pmix_node.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <utility>

#include "common/child.h"
#include "common/error.h"
#include "launcher/job/pmix_service.h"

namespace slipway::job {
namespace {

constexpr auto start_limit = std::chrono::seconds(10);
constexpr auto busy_with_start = std::chrono::seconds(3);  // then cores are free for the next
constexpr auto end_limit = std::chrono::seconds(2);

}  // namespace

PmixNode::PmixNode(bool wanted, std::string node) : wanted_(wanted), node_(std::move(node)) {
  if (wanted_) server_ = new_server();
}

PmixNode::~PmixNode() {
  end_server(server_);
  end_server(next_);
  // A killed server is gone soon, unless it is stuck in the kernel.
  const auto begin = Clock::now();
  while (!processes().empty() && Clock::now() - begin < 2 * end_limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

std::optional<PmixNode::Server> PmixNode::new_server() {
  try {
    std::array<int, 2> pair = {};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
      throw_errno("socketpair");
    Fd ours(pair[0]), theirs(pair[1]);
    auto folder = std::make_unique<PrivateFolder>("slipway-pmix", lasting_folder());
    const pid_t pid = fork_child("a PMIx server");
    if (pid == 0) {
      ::setpgid(0, 0);
      close_all_but({theirs.get()});
      run_pmix_server(theirs.release(), folder->path(), node_);
    }
    return Server{pid, std::move(folder), std::make_unique<Wire>(std::move(ours), longest_message)};
  } catch (const std::exception& error) {
    missing_ = error.what();
    return std::nullopt;
  }
}

void PmixNode::end_server(std::optional<Server>& server) {
  if (!server) return;
  server->wire.reset();  // the server then cleans up and ends
  server->since = Clock::now();
  ending_.push_back(std::move(*server));
  server.reset();
}

void PmixNode::begin(const PmixWorld& attempt) {
  if (used_) end();
  used_ = true;
  if (!server_) return;
  begun_ = Clock::now();
  server_->wire->put(encode(attempt));
}

bool PmixNode::settled() {
  if (!server_ || ready_) return true;
  if (Clock::now() - begun_ < start_limit) return false;
  missing_ = "its server did not start";
  end_server(server_);
  return true;
}

Variables PmixNode::variables(size_t local_rank) const {
  return local_rank < variables_.size() ? variables_[local_rank] : Variables();
}

void PmixNode::end() {
  if (!used_) return;
  used_ = ready_ = reported_ = false;
  variables_.clear();
  missing_.clear();
  end_server(server_);
  if (wanted_ && !next_) next_ = new_server();
  server_ = std::exchange(next_, std::nullopt);
}

std::vector<FromPmixServer> PmixNode::receive() {
  reap_ending();
  std::vector<FromPmixServer> news;
  if (server_) {
    Wire& wire = *server_->wire;
    wire.flush();
    const bool there = wire.receive();
    while (const auto message = wire.next()) take(decode<FromPmixServer>(*message), news);
    if (!there) {
      if (missing_.empty()) missing_ = "its server exited";
      end_server(server_);
    }
  }
  if (ready_ && !next_ && Clock::now() - begun_ > busy_with_start) {
    begun_ = Clock::now();  // if it cannot start, try again only after this interval
    next_ = new_server();
  }
  if (wanted_ && used_ && !server_ && !reported_) {
    reported_ = true;
    news.push_back(PmixNone{missing_});
  }
  return news;
}

void PmixNode::take(FromPmixServer message, std::vector<FromPmixServer>& news) {
  std::visit(Overloads{
                 [&](PmixReady& ready) {
                   variables_ = std::move(ready.variables);
                   ready_ = true;
                 },
                 [&](PmixNone& none) { missing_ = std::move(none.text); },
                 [&](auto& other) { news.emplace_back(std::move(other)); },
             },
             message);
}

void PmixNode::send(const ToPmixServer& message) {
  if (server_) server_->wire->put(encode(message));
}

std::vector<pollfd> PmixNode::descriptors() const {
  if (!server_) return {};
  const bool unsent = server_->wire->unsent() > 0;
  return {{server_->wire->fd(), static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN), 0}};
}

// Also true if someone else has reaped it, as NodeTasks does.
bool PmixNode::has_ended(const Server& server) {
  return ::waitpid(server.pid, nullptr, WNOHANG) != 0;
}

void PmixNode::reap_ending() {
  std::erase_if(ending_, [](const Server& server) {
    const bool ended = has_ended(server);
    if (!ended && Clock::now() - server.since > end_limit) ::kill(server.pid, SIGKILL);
    return ended;
  });
}

std::vector<pid_t> PmixNode::processes() {
  reap_ending();
  std::vector<pid_t> all;
  for (const Server& each : ending_) all.push_back(each.pid);
  if (server_) all.push_back(server_->pid);
  if (next_) all.push_back(next_->pid);
  return all;
}

}  // namespace slipway::job
