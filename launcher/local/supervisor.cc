// The supervisor of a local deployment: its event loop and its requests.
#include "launcher/local/supervisor.h"

#include <fmt/core.h>
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
#include <optional>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "launcher/local/checkpoint.h"
#include "launcher/local/command.h"
#include "launcher/local/journal.h"
#include "launcher/local/message.h"
#include "launcher/local/namespaces.h"
#include "launcher/local/network.h"
#include "launcher/local/node_faults.h"
#include "launcher/local/node_processes.h"
#include "launcher/local/plan_json.h"
#include "launcher/local/power_socket.h"
#include "launcher/local/running_change.h"
#include "launcher/local/supervisor_client.h"
#include "launcher/local/unix_socket.h"

namespace slipway::local {
namespace {

using nlohmann::json;

class Supervisor {
 public:
  explicit Supervisor(SupervisorStart start)
      : start_(std::move(start)),
        plan_(*start_.plan),
        nodes_(plan_, start_.surroundings),
        faults_(plan_, nodes_, start_.folder->gpus()) {
    nodes_.on_end_of_start = [this](size_t node, const std::string& wrong) {
      end_of_start(node, wrong);
    };
  }

  void bring_up() {
    prepare();
    nodes_.bring_up([this](const std::string& name) {
      tell_deployer({{"state", "node"}, {"node", name}});
    });
    tell_deployer({{"state", "started"}});
  }

  [[noreturn]] void serve() {
    for (;;) {
      std::vector<pollfd> fds = {{signals_.get(), POLLIN, 0},
                                 {start_.listener.get(), POLLIN, 0},
                                 {start_.deployer.get(), POLLIN, 0},
                                 {power_listener_.get(), POLLIN, 0}};
      const size_t first_client = fds.size();
      for (const Client& client : clients_) fds.push_back({client.connection.get(), POLLIN, 0});
      const size_t first_channel = fds.size();
      nodes_.add_channels(fds);
      if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) throw_errno("poll");
      // Clients first: their rows of `fds` match clients_ only until something is added or dropped.
      auto row = fds.begin() + static_cast<std::ptrdiff_t>(first_client);
      for (Client& client : clients_) {
        if ((row++)->revents != 0 && !client.done) client.done = !handle_message(client);
      }
      for (size_t i = first_channel; i < fds.size(); ++i) {
        if (fds[i].revents != 0) nodes_.hear_channel(fds[i].fd);
      }
      if (fds[0].revents != 0) hear_signals();
      if (fds[1].revents != 0) accept_client(start_.listener, true);
      if (fds[2].revents != 0) hear_deployer();
      if (fds[3].revents != 0) accept_client(power_listener_, false);
      std::erase_if(clients_, [](const Client& client) { return client.done; });
    }
  }

  void tell_deployer(const json& body) {
    if (!start_.deployer) return;
    try {
      send_message(start_.deployer.get(), body);
    } catch (const Error&) {
      ::_exit(0);  // the deployer ended before it sent "keep"
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
    // Mounts made from here on are not visible outside.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      throw_errno("cannot make mounts private");
    }
    const std::string run = start_.folder->run().string();
    if (::mount("tmpfs", run.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) {
      throw_errno(fmt::format("cannot mount a tmpfs on {}", run));
    }
    if (plan_.elastic()) power_listener_ = listen_for_power(run);
    run_ip(bridges_batch(plan_.bridges));
    route_between_nodes(plan_.bridges);
  }

  void hear_deployer() {
    const auto message = receive_message(start_.deployer.get());
    if (!message || !message->body.value("keep", false)) ::_exit(0);
    try {
      put_in_force(plan_, *start_.folder);
      tell_deployer({{"state", "kept"}});
      start_.deployer.reset();
    } catch (const Error& error) {
      tell_deployer({{"error", error.what()}});
    }
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
    if (nodes_.ended(pid)) return;
    if (change_ && change_->pid() == pid) {
      if (change_->ended(status)) end_of_change();
      return;
    }
    const auto client = std::ranges::find(clients_, pid, &Client::pid);
    if (client == clients_.end()) return;
    client->answer({{"exit_code", exit_code_of(status)}});
    client->done = true;
  }

  void accept_client(const Fd& listener, bool owner) {
    Fd connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) {
      // Probably out of descriptors: without a pause this would be a busy loop.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return;
    }
    // In an ordinary user's namespace that user is 0, and nobody else is.
    const bool welcome = owner ? peer_user(connection) == 0 : may_ask_for_power(connection);
    if (welcome) clients_.push_back({std::move(connection), owner});
  }

  // False if the client is finished.
  bool handle_message(Client& client) {
    try {
      auto message = receive_message(client.connection.get());
      if (!message) {
        if (client.pid > 0) ::kill(-client.pid, SIGHUP);
        if (client.changes) change_->client_is_gone();
        return false;
      }
      if (client.changes) {
        change_->interrupt();
        return true;
      }
      if (client.pid > 0) {
        ::kill(-client.pid, message->body.at("signal").get<int>());
        return true;
      }
      return take_request(client, *message);
    } catch (const std::exception& error) {
      client.answer({{"error", error.what()}});
      return false;
    }
  }

  bool take_request(Client& client, Message& message) {
    const std::string request = message.body.at("request");
    if (request == "power") return !change_power(client, message.body);
    if (!client.owner) throw Error(fmt::format("`{}` is not allowed on this socket", request));
    if (request == "exec") {
      execute(client, message);
      return true;
    }
    if (request == "change" || request == "settle") return begin_change(client, request, message);
    if (request == "adopt") {
      const bool busy = nodes_.any_starting();
      if (!busy) adopt(message.body);
      client.answer({{"busy", busy}});
      return false;
    }
    if (request == "fault" || request == "clear")
      return !change_fault(client, request, message.body);
    if (request != "status") throw Error(fmt::format("unknown request `{}`", request));
    json rows = json::array();
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      rows.push_back({{"name", plan_.nodes[i].name},
                      {"running", nodes_.power(i) != Power::off},
                      {"faults", faults_.active(i)}});
    }
    slurm_silent_since_ = message.body.value("slurm_silent_since", slurm_silent_since_);
    client.answer({{"kept", !start_.deployer},
                   {"slurm_silent_since", slurm_silent_since_},
                   {"changing", change_.has_value()},
                   {"nodes", std::move(rows)}});
    return false;
  }

  // transaction.h lists the answers, which the change itself sends. False if there is nothing to
  // do.
  bool begin_change(Client& client, const std::string& request, Message& message) {
    if (change_) throw Error("another change is under way");
    const bool again = request == "settle";
    if (message.fds.size() != (again ? 1 : 2)) throw Error("descriptors are missing");
    if (again && !std::filesystem::exists(start_.folder->journal())) {
      client.answer({{"done", true}, {"nodes", 0}});
      return false;
    }
    if (!again) {
      std::string plan;
      while (message.fds[1]) read_some(message.fds[1], plan);
      Journal journal;
      journal.wanted = plan_from_json(json::parse(plan));
      journal.force = message.body.at("force");
      journal.patient = message.body.value("patient", false);
      journal.timeout_seconds = message.body.at("timeout_seconds");
      journal.write(*start_.folder);
    }
    count_points(message.body.value("points", 0));
    client.changes = true;
    change_.emplace(*start_.folder, std::move(message.fds[0]), client.connection, again);
    return true;
  }

  void end_of_change() {
    for (Client& client : clients_) {
      if (!client.changes) continue;
      // If the change has already reported its end, nobody reads this.
      client.answer({{"error", "the change was killed too many times"}});
      client.done = true;
    }
    change_.reset();
  }

  // Switches to the plan that the change in progress is moving to. Throws Error before anything has
  // changed, or because of a kernel error.
  void adopt(const json& body) {
    const std::optional<Journal> journal = Journal::read(*start_.folder);
    if (!journal) throw Error("no change is in progress");
    Plan wanted =
        journal->phase == Journal::Phase::back ? plan_in_force(*start_.folder) : journal->wanted;
    std::vector<size_t> off;
    for (const std::string name : body.at("off")) off.push_back(nodes_.index_of(name));
    nodes_.discard(off);
    faults_.discarded(off);
    const std::vector<Bridge> before = plan_.bridges;
    nodes_.adopt(plan_, std::move(wanted));
    run_ip(changed_bridges_batch(before, plan_.bridges));
    route_between_nodes(plan_.bridges);
    if (plan_.elastic() && !power_listener_) {
      power_listener_ = listen_for_power(start_.folder->run());
    }
    nodes_.run_in_each([&] { write_file("/etc/hosts", plan_.hosts); });
  }

  // True if the client has its answer; otherwise it waits for a node whose power is back.
  bool change_fault(Client& client, const std::string& request, const json& body) {
    const size_t node = nodes_.index_of(body.at("node"));
    if (request == "fault") {
      faults_.begin(node, fault_from_json(body.at("fault")));
    } else {
      const bool start = body.value("start", false);
      const bool was_held = faults_.holds_power(node);
      if (was_held || !start) faults_.clear(node, body.at("which"));
      const bool is_back = was_held && !faults_.holds_power(node) && !plan_.nodes[node].on_demand;
      if (start || is_back) {
        nodes_.power_on(node);
        if (nodes_.power(node) == Power::starting) client.starting.insert(node);
      }
    }
    client.waits_for_starts = true;
    client.answer_when_started();
    return client.done;
  }

  // True if the client has its answer; otherwise it waits for nodes to start.
  bool change_power(Client& client, const json& body) {
    std::vector<size_t> stopping;
    for (const std::string name : body.at("nodes")) {
      try {
        const size_t node = nodes_.index_of(name);
        if (!client.owner && plan_.nodes[node].role != "compute")
          throw Error("it is not a compute node");
        if (!body.at("on").get<bool>()) {
          stopping.push_back(node);
          continue;
        }
        if (faults_.holds_power(node)) throw Error("its power is off: fault " + power_fault());
        nodes_.power_on(node);
        if (nodes_.power(node) == Power::starting) client.starting.insert(node);
      } catch (const Error& error) {
        client.add_failed(name, error.what());
      }
    }
    nodes_.power_off(stopping);
    client.waits_for_starts = true;
    client.answer_when_started();
    return client.done;
  }

  void end_of_start(size_t node, const std::string& wrong) {
    if (wrong.empty()) put_faults_back(node);
    for (Client& client : clients_) {
      if (client.starting.erase(node) == 0) continue;
      if (!wrong.empty()) client.add_failed(plan_.nodes[node].name, wrong);
      if (client.waits_for_starts) client.answer_when_started();
    }
  }

  void put_faults_back(size_t node) {
    try {
      faults_.node_started(node);
    } catch (const Error& error) {
      fmt::print(stderr, "node {}: {}\n", plan_.nodes[node].name, error.what());
    }
  }

  void execute(Client& client, Message& message) {
    const std::string name = message.body.at("node");
    const size_t node = nodes_.index_of(name);
    if (nodes_.power(node) == Power::off) throw Error(fmt::format("node {} is off", name));
    const NodeCommand command = command_from_json(message.body);
    if (command.terminal.empty() && message.fds.size() != 3)
      throw Error("three streams are needed");
    // A job's files should be in a folder that every node sees.
    const std::vector<Mount>& mounts = plan_.nodes[node].mounts;
    const std::string folder = mounts.empty() ? "/" : mounts.front().target;
    const Fd pidfd = open_pidfd(nodes_.pid(node));
    client.pid = start_in_namespaces_of(pidfd.get(), node_namespaces(), [&] {
      become_command(command, std::move(message.fds), client.connection.get(), folder);
    });
  }

  SupervisorStart start_;
  Plan plan_;
  NodeProcesses nodes_;
  NodeFaults faults_;
  std::list<Client> clients_;
  std::optional<RunningChange> change_;
  std::string slurm_silent_since_;  // reported by a client that slurmctld did not answer
  Fd signals_;
  Fd power_listener_;
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
