// Brings a local deployment up.
#include "launcher/local/launch.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/host_list.h"
#include "common/installation.h"
#include "common/interrupts.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "launcher/local/changes.h"
#include "launcher/local/checkpoint.h"
#include "launcher/local/control.h"
#include "launcher/local/host_mounts.h"
#include "launcher/local/image_store.h"
#include "launcher/local/journal.h"
#include "launcher/local/message.h"
#include "launcher/local/namespaces.h"
#include "launcher/local/redeploy.h"
#include "launcher/local/slurm_control.h"
#include "launcher/local/supervisor.h"
#include "launcher/local/wait_for_nodes.h"
#include "launcher/node/accounting.h"
#include "launcher/node/key.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Launch {
 public:
  // `stood`: the folder belongs to a deployment whose supervisor is gone.
  Launch(const Plan& plan, const DeploymentFolder& folder, bool stood, const LaunchOptions& options,
         const Interrupts& interrupts)
      : plan_(plan),
        folder_(folder),
        stood_(stood),
        options_(options),
        interrupts_(interrupts),
        deadline_(options.deadline) {}

  Launched run(Fd lock) {
    if (stood_) clear_remains();
    checkpoint("the folder is made");
    write_folder(plan_, folder_);
    write_file(folder_.description(), describe(plan_).dump(2) + "\n");
    checkpoint("its files are written");
    const auto on_demand = std::ranges::count_if(plan_.nodes, &PlannedNode::on_demand);
    say(fmt::format("starting {} on {}{}", counted(nodes_to_start(), "node"),
                    counted(plan_.bridges.size(), "network"),
                    on_demand > 0 ? fmt::format("; {} more start on demand", on_demand) : ""));
    tell_of_image();
    start_supervisor(std::move(lock));
    checkpoint("the supervisor is started");
    hear_nodes();
    checkpoint("nodes are started");
    size_t idle = wait_for_compute_nodes();
    if (stood_) {
      bring_slurm_up_to_date();
      idle = wait_for_compute_nodes();
    }
    checkpoint("nodes are idle");
    send_message(supervisor_.get(), {{"keep", true}});
    wait_for_progress("kept");
    checkpoint("the deployment is up");
    const std::chrono::duration<double> seconds = Clock::now() - begin_;
    return {false, idle, seconds.count()};
  }

  // Ends everything that was started; only the files remain.
  void abandon() { end_process(pidfd_); }

 private:
  void say(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }

  size_t nodes_to_start() const {
    return plan_.nodes.size() -
           static_cast<size_t>(std::ranges::count_if(plan_.nodes, &PlannedNode::on_demand));
  }

  // Removes what a killed supervisor leaves: its socket, a change in progress, files of another
  // plan.
  void clear_remains() {
    say(
        fmt::format("restarting `{}`: its supervisor was killed, or the host was restarted; "
                    "its files are kept, and jobs that ran are lost or requeued",
                    folder_.name()));
    remove_journal(folder_);
    std::filesystem::remove(folder_.control_socket());
    std::filesystem::remove_all(folder_.slurm());
    std::filesystem::remove_all(folder_.gpus());  // the supervisor knew which of them had faults
    forget_replaced_nodes();
  }

  void forget_replaced_nodes() const {
    try {
      for (const std::string& node : compare(plan_in_force(folder_), plan_).stopped()) {
        std::filesystem::remove_all(folder_.health() / node);
      }
    } catch (const Error&) {
      // No plan was in force, or everything is different.
      std::filesystem::remove_all(folder_.health());
    }
  }

  // Call it once nodes have registered: until then slurmctld shows them as unknown. slurmctld
  // remembers running jobs, nodes that a change was about to stop, and on-demand nodes that were
  // on.
  void bring_slurm_up_to_date() const {
    const SlurmControl slurm(folder_, plan_.controller().name, deadline_, &interrupts_);
    std::vector<std::string> all, off;
    for (const PlannedNode& node : plan_.nodes) {
      all.push_back(node.name);
      if (node.on_demand) off.push_back(node.name);
    }
    slurm.end_lost_jobs(all);
    slurm.resume(all);
    slurm.mark_powered_off(off);
  }

  void tell_of_image() const {
    const std::string& image = plan_.image();
    if (image.empty() || ImageStore().find(image).has_node_health()) return;
    say(fmt::format(
        "image `{}` is older than node_health: its nodes are not checked before jobs until "
        "you build a new image with `slipway image build`",
        image));
  }

  void start_supervisor(Fd lock) {
    SocketPair progress = make_socket_pair();
    supervisor_ = std::move(progress.ours);
    SupervisorStart start{&plan_,
                          &folder_,
                          surroundings(),
                          std::move(lock),
                          bind_control_socket(folder_),
                          std::move(progress.theirs)};
    const std::optional<IdMap> map =
        ::geteuid() == 0 ? std::nullopt : std::optional(id_map_of_caller());
    pidfd_ = open_pidfd(start_in_new_namespaces(own_namespaces, map ? &*map : nullptr, [&] {
      detach(start);
      supervise(std::move(start));
    }));
    // `start` ends here, and with it our copies of the supervisor's descriptors.
  }

  // The supervisor outlives the command that started it: drop the caller's descriptors, variables
  // and session.
  void detach(const SupervisorStart& start) const {
    ::setsid();
    ::chdir("/");
    ::clearenv();
    ::setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    ::setenv("LANG", "C.UTF-8", 1);
    redirect_streams(folder_.supervisor_log());
    close_all_but({start.lock.get(), start.listener.get(), start.deployer.get()});
    unblock_signals();
  }

  NodeSurroundings surroundings() const {
    return {find_installation().prefix,
            folder_.slurm(),
            folder_.run(),
            folder_.logs(),
            folder_.path() / "shared",
            folder_.state(),
            folder_.database(),
            mount_points(read_file("/proc/self/mountinfo")),
            node::random_key(),
            folder_.gpus(),
            folder_.health()};
  }

  void hear_nodes() { wait_for_progress("started"); }

  // Reads the supervisor's progress until it reports `awaited`.
  void wait_for_progress(const std::string& awaited) {
    for (;;) {
      if (!interrupts_.wait(supervisor_.get(), deadline_.left())) {
        throw Error(deadline_.timeout_message("the nodes to start") + last_words());
      }
      const auto message = receive_message(supervisor_.get());
      if (!message) {
        throw Error(fmt::format("the supervisor ended: {}", last_lines(folder_.supervisor_log())));
      }
      if (message->body.contains("error")) throw Error(message->body["error"].get<std::string>());
      const std::string state = message->body.at("state");
      deadline_.renew();
      if (state == awaited) return;
      const std::string node = message->body.at("node");
      up_.insert(node);
      say_node_is_up(node);
    }
  }

  // "; not up: a-0, a-1; last line of a-0's slurmd.log: ...": the nodes that have not started, and
  // what the first of them wrote last. Its daemon may wait for longer than we do.
  std::string last_words() const {
    std::vector<std::string> missing;
    for (const PlannedNode& node : plan_.nodes) {
      if (!node.on_demand && !up_.contains(node.name)) missing.push_back(node.name);
    }
    if (missing.empty()) return "";
    std::string words = "; not up: " + names_of_nodes(missing);
    if (const auto log = newest_log(missing.front())) {
      words += fmt::format("; last line of {}'s {}: {}", missing.front(), log->filename().string(),
                           last_lines(*log));
    }
    return words;
  }

  std::optional<std::filesystem::path> newest_log(const std::string& node) const {
    std::optional<std::filesystem::path> newest;
    std::error_code ignored;
    for (const auto& log : std::filesystem::directory_iterator(folder_.logs() / node, ignored)) {
      if (log.symlink_status().type() != std::filesystem::file_type::regular) continue;
      if (log.file_size() == 0) continue;
      if (!newest || log.last_write_time() > std::filesystem::last_write_time(*newest)) {
        newest = log.path();
      }
    }
    return newest;
  }

  // Without a terminal, a line for each of a few nodes; of many, ten lines.
  void say_node_is_up(const std::string& node) {
    constexpr size_t most_lines = 10;
    const size_t all = nodes_to_start();
    const size_t up = up_.size();
    const std::string how_many = fmt::format("{} of {} nodes are up", up, all);
    if (options_.status) {
      options_.status(how_many);
    } else if (all <= most_single_names) {
      say(fmt::format("node {} is up", node));
    } else if (up * most_lines / all > (up - 1) * most_lines / all) {
      say(how_many);
    }
  }

  // In a restarted deployment, waiting jobs start as soon as they can, and nodes that someone took
  // out of service stay so.
  size_t wait_for_compute_nodes() {
    std::set<std::string> waiting, states = {"idle"};
    for (const PlannedNode& node : plan_.nodes) {
      if (node.role == "compute" && !node.on_demand) waiting.insert(node.name);
    }
    // Checks may take longer than a start, so nodes that wait for them are up; waiting jobs get
    // those that pass meanwhile.
    if (plan_.admits) states = usable_states;
    if (stood_) {
      states = usable_states;
      states.insert({"drained", "draining", "down"});
    }
    wait_for_nodes(folder_, plan_.controller().name, waiting, states, deadline_, interrupts_,
                   [&](size_t left) {
                     if (!options_.status) return;
                     options_.status(fmt::format("{} of {} nodes are idle", waiting.size() - left,
                                                 waiting.size()));
                   });
    return waiting.size();
  }

  const Plan& plan_;
  const DeploymentFolder& folder_;
  const bool stood_;
  const LaunchOptions& options_;
  const Interrupts& interrupts_;
  const Clock::time_point begin_ = Clock::now();
  Deadline deadline_;
  Fd supervisor_;             // progress
  Fd pidfd_;                  // the supervisor's
  std::set<std::string> up_;  // nodes
};

}  // namespace

void write_folder(const Plan& plan, const DeploymentFolder& folder) {
  for (const auto& [name, text] : plan.slurm_files) {
    make_directories(folder.slurm());
    write_file(folder.slurm() / name, text);
  }
  for (const std::string& id : plan.shared) make_directories(folder.shared(id));
  for (const PlannedNode& node : plan.nodes) make_directories(folder.log(node.name));
  make_directories(folder.run());
  make_directories(folder.state());
  if (!plan.slurmdbd_conf.empty()) {
    make_directories(folder.database());
    // Only slurmdbd may read this file, so it is on the controller, not in the shared folder.
    const std::filesystem::path link = folder.slurm() / "slurmdbd.conf";
    std::filesystem::remove(link);
    std::filesystem::create_symlink(node::slurmdbd_conf_path, link);
  }
}

void remove_slurm_files(const Plan& before, const Plan& after, const DeploymentFolder& folder) {
  for (const auto& [name, text] : before.slurm_files) {
    if (!after.slurm_files.contains(name)) std::filesystem::remove(folder.slurm() / name);
  }
  if (after.slurmdbd_conf.empty()) std::filesystem::remove(folder.slurm() / "slurmdbd.conf");
}

Launched launch(const Plan& plan, const DeploymentFolder& folder, const LaunchOptions& options,
                const DeploymentLock& deployment_lock) {
  if (plan.elastic()) require_elastic_nodes();
  const Interrupts interrupts;
  Fd lock = folder.create();
  const bool stood = !lock;
  if (stood && folder.run_state() == RunState::running) {
    return redeploy(plan, folder, options, deployment_lock, interrupts);
  }
  if (stood) lock = folder.take_over();
  Launch launch(plan, folder, stood, options, interrupts);
  try {
    return launch.run(std::move(lock));
  } catch (const std::exception& error) {
    launch.abandon();
    if (stood) {
      throw Error(
          fmt::format("cannot restart `{0}`: {1}; its files are kept: `slipway deploy` tries "
                      "again, `slipway destroy {0}` removes them",
                      folder.name(), error.what()));
    }
    remove(folder);
    throw Error(fmt::format("cannot bring up `{}`: {}", folder.name(), error.what()));
  }
}

}  // namespace slipway::local
