// The supervisor of a local deployment.
#include "launcher/local/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <list>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/error.h"
#include "common/process.h"
#include "launcher/local/command.h"
#include "launcher/local/message.h"
#include "launcher/local/namespaces.h"
#include "launcher/local/network.h"

namespace slipway::local {
namespace {

using nlohmann::json;

// A client. When it asked for a command, `pid` is the command's.
struct Client {
  Fd connection;
  pid_t pid = 0;
};

class Supervisor {
 public:
  explicit Supervisor(SupervisorStart start) : start_(std::move(start)), plan_(*start_.plan) {}

  void bring_up() {
    prepare();
    start_nodes();
    hear_all("prepared", [](size_t) { return true; });
    go([](size_t i) { return i == 0; });
    hear_all("started", [](size_t i) { return i == 0; });
    go([](size_t i) { return i != 0; });
    hear_all("started", [](size_t i) { return i != 0; });
    for (LocalNode& node : nodes_) node.channel.reset();
    tell_deployer({{"state", "started"}});
  }

  [[noreturn]] void serve() {
    for (;;) {
      std::vector<pollfd> fds = {{signals_.get(), POLLIN, 0},
                                 {start_.listener.get(), POLLIN, 0},
                                 {start_.deployer.get(), POLLIN, 0}};
      for (const Client& client : clients_) fds.push_back({client.connection.get(), POLLIN, 0});
      if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) throw_errno("poll");
      // Clients first: the rows of fds are theirs as they were before anything is added or dropped.
      auto row = fds.begin() + 3;
      for (auto client = clients_.begin(); client != clients_.end(); ++row) {
        const bool stays = row->revents == 0 || hear_client(*client);
        client = stays ? std::next(client) : clients_.erase(client);
      }
      if (fds[0].revents != 0) hear_signals();
      if (fds[1].revents != 0) accept_client();
      if (fds[2].revents != 0) hear_deployer();
    }
  }

  void tell_deployer(const json& body) {
    if (!start_.deployer) return;
    try {
      send_message(start_.deployer.get(), body);
    } catch (const Error&) {
      ::_exit(0);  // the deployer is gone before it said to keep the cluster
    }
  }

 private:
  void prepare() {
    ::prctl(PR_SET_NAME, "slipway-super");
    ::sethostname(plan_.deployment.data(), plan_.deployment.size());
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    signals_.reset(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) throw_errno("signalfd");
    if (::listen(start_.listener.get(), SOMAXCONN) != 0) throw_errno("cannot listen");
    // Nothing that is mounted from here on is seen outside.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      throw_errno("cannot make mounts private");
    }
    const std::string run = start_.folder->run().string();
    if (::mount("tmpfs", run.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) {
      throw_errno(fmt::format("cannot mount a tmpfs on {}", run));
    }
    run_ip(bridges_batch(plan_.bridges));
    route_between_nodes(plan_.bridges);
  }

  void start_nodes() {
    std::string ports;
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      nodes_.push_back(start_local_node(plan_.nodes[i], plan_, start_.surroundings));
      ports += ports_batch(plan_.nodes[i], i, nodes_[i].pid, plan_.bridges);
    }
    run_ip(ports);
    for (const LocalNode& node : nodes_) send_message(node.channel.get(), {{"go", "network"}});
  }

  template <class Which>
  void go(Which which) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (which(i)) send_message(nodes_[i].channel.get(), {{"go", "services"}});
    }
  }

  // Waits for `state` of each of the nodes. Throws Error with the node's name and its reason.
  template <class Which>
  void hear_all(const std::string& state, Which which) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!which(i)) continue;
      const std::string& name = plan_.nodes[i].name;
      const auto message = receive_message(nodes_[i].channel.get());
      if (!message) throw Error(fmt::format("node {} ended while it was starting", name));
      if (message->body.contains("error")) {
        throw Error(fmt::format("node {}: {}", name, message->body["error"].get<std::string>()));
      }
      if (state == "started") tell_deployer({{"state", "node"}, {"node", name}});
    }
  }

  void hear_deployer() {
    const auto message = receive_message(start_.deployer.get());
    if (!message || !message->body.value("keep", false)) ::_exit(0);
    start_.deployer.reset();
  }

  void hear_signals() {
    signalfd_siginfo info;
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGTERM) ::_exit(0);
    }
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) ended(pid, status);
  }

  void ended(pid_t pid, int status) {
    for (LocalNode& node : nodes_) {
      if (node.pid == pid) node.pid = 0;
    }
    const auto client = std::ranges::find(clients_, pid, &Client::pid);
    if (client == clients_.end()) return;
    answer(*client, {{"exit_code", exit_code_of(status)}});
    clients_.erase(client);
  }

  void accept_client() {
    Fd connection(::accept4(start_.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) {
      // Out of descriptors, most likely: without a pause this would be a busy loop.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return;
    }
    ucred peer = {};
    socklen_t size = sizeof peer;
    // In an ordinary user's namespace that user is 0, and everybody else is not.
    const bool owner =
        ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == 0;
    if (owner) clients_.push_back({std::move(connection), 0});
  }

  // False when the client is done with.
  bool hear_client(Client& client) {
    try {
      auto message = receive_message(client.connection.get());
      if (!message) {
        if (client.pid > 0) ::kill(-client.pid, SIGHUP);
        return false;
      }
      if (client.pid > 0) {
        ::kill(-client.pid, message->body.at("signal").get<int>());
        return true;
      }
      return take_request(client, *message);
    } catch (const std::exception& error) {
      answer(client, {{"error", error.what()}});
      return false;
    }
  }

  bool take_request(Client& client, Message& message) {
    const std::string request = message.body.at("request");
    if (request == "exec") {
      execute(client, message);
      return true;
    }
    if (request != "status") throw Error(fmt::format("unknown request `{}`", request));
    json rows = json::array();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      rows.push_back({{"name", plan_.nodes[i].name}, {"running", nodes_[i].pid > 0}});
    }
    answer(client, {{"kept", !start_.deployer}, {"nodes", std::move(rows)}});
    return false;
  }

  void execute(Client& client, Message& message) {
    const std::string name = message.body.at("node");
    const auto planned = std::ranges::find(plan_.nodes, name, &PlannedNode::name);
    if (planned == plan_.nodes.end()) throw Error(fmt::format("there is no node `{}`", name));
    const LocalNode& node = nodes_[static_cast<size_t>(planned - plan_.nodes.begin())];
    if (node.pid == 0) throw Error(fmt::format("node {} is off", name));
    const NodeCommand command = command_from_json(message.body);
    if (command.terminal.empty() && message.fds.size() != 3)
      throw Error("three streams are needed");
    // A job's files should be where every node sees them.
    const std::string folder = planned->mounts.empty() ? "/" : planned->mounts.front().target;
    const Fd pidfd = open_pidfd(node.pid);
    client.pid = start_in_namespaces_of(pidfd.get(), own_namespaces, [&] {
      become_command(command, std::move(message.fds), client.connection.get(), folder);
    });
  }

  static void answer(const Client& client, const json& body) {
    try {
      send_message(client.connection.get(), body);
    } catch (const Error&) {
      // The client did not wait for the answer.
    }
  }

  SupervisorStart start_;
  const Plan& plan_;
  std::vector<LocalNode> nodes_;  // in the order of plan_.nodes
  std::list<Client> clients_;
  Fd signals_;
};

}  // namespace

void supervise(SupervisorStart start) {
  Supervisor supervisor(std::move(start));
  try {
    supervisor.bring_up();
  } catch (const std::exception& error) {
    supervisor.tell_deployer({{"error", error.what()}});
    ::_exit(1);
  }
  supervisor.serve();
}

}  // namespace slipway::local
