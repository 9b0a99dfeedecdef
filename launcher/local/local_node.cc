// Starts one node of a local cluster.
#include "launcher/local/local_node.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/process.h"
#include "launcher/health/history.h"
#include "launcher/local/gpu_state.h"
#include "launcher/local/host_mounts.h"
#include "launcher/local/image_store.h"
#include "launcher/local/message.h"
#include "launcher/local/namespaces.h"
#include "launcher/local/network.h"
#include "launcher/local/node_root.h"
#include "launcher/local/oldest_namespace.h"
#include "launcher/local/power_socket.h"
#include "launcher/node/accounting.h"
#include "launcher/node/admission_slurm.h"
#include "launcher/node/init.h"
#include "launcher/node/job_space.h"
#include "launcher/node/monitoring.h"
#include "launcher/node/open_mpi.h"
#include "launcher/node/services.h"

namespace slipway::local {
namespace {

constexpr int channel_fd = 3;
// Soon enough for someone who has just deployed a cluster and looks at its page.
constexpr std::chrono::seconds scrape_interval(5);

// What useradd runs on the login node after it has added an account: without it on the controller,
// srun only says that "something is wrong with the boot of the nodes".
std::string useradd_note(const std::string& deployment) {
  return fmt::format(R"(#!/bin/sh
[ "${{SLIPWAY_EXEC:-}}" = all ] && exit
cat >&2 <<END
useradd: $SUBJECT is known on this node only, and Slurm needs it on all. On your computer:
  slipway exec {} all -- useradd --uid $(id -u "$SUBJECT") $SUBJECT
END
)",
                     deployment);
}

// Open MPI's settings, if those of the node's image keep its ranks from other nodes.
void let_mpi_reach_other_nodes(NodeRoot& root) {
  const auto file = root.image / resolve_in(root.image, node::open_mpi_settings);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  if (const auto text = node::reach_other_nodes(read_file(file))) {
    root.files[node::open_mpi_settings] = *text;
  }
}

// An on-demand node is a new machine each time. Others keep their disk when they lose power.
bool has_disk(const PlannedNode& node) {
  return node.role == "compute" && !node.on_demand;
}

NodeRoot root_of(const PlannedNode& node, const Plan& plan, const NodeSurroundings& around) {
  NodeRoot root;
  root.folder = around.run / node.name;
  root.image = image_root(node.image);
  root.image_mounts = around.host_mounts;
  root.files = {{"/etc/hostname", node.name + "\n"},
                {"/etc/hosts", plan.hosts},
                {node_profile_path, node.node_json}};
  let_mpi_reach_other_nodes(root);
  if (node.role == "compute") {
    for (const auto& [path, text] : plan.files_of(node)) root.files[path] = text;
  }
  if (node.role == "login") {
    root.files["/etc/shadow-maint/useradd-post.d/slipway"] = useradd_note(plan.deployment);
  }
  // The host's content of these folders is private to the host, and an ordinary user could not
  // write to it.
  root.fresh_folders = {"/etc/munge", "/var/lib/slipway"};
  root.binds = {{around.slurm, "/etc/slurm", true},
                {around.logs / node.name, "/var/log/slurm", false}};
  // An image has its own installation, whose plugins are built for its Slurm.
  if (node.image.empty()) root.binds.push_back({around.prefix, node_prefix, true});
  if (node.role == "controller") {
    root.binds.push_back({around.state, node::slurmctld_state, false});
    if (!plan.slurmdbd_conf.empty()) {
      root.binds.push_back({around.database, node::database_folder, false});
    }
  }
  for (const Mount& mount : node.mounts) {
    root.binds.push_back({around.shared / mount.shared, mount.target, false});
  }
  if (node.role == "controller" && plan.elastic()) root.binds.push_back(power_mount(around.run));
  root.binds.push_back({kernel_log_of(around.gpus, node), "/dev/kmsg", true});
  if (has_disk(node))
    root.binds.push_back({around.health / node.name, health::state_folder, false});
  root.own_memory = {"/var/spool/slurmd"};
  show_gpus(around.gpus, node, around.prefix, root);
  return root;
}

void wait_for(const char* what) {
  const auto message = receive_message(channel_fd);
  if (!message) ::_exit(0);  // the supervisor is gone, so this node ends too
  if (message->body.value("go", "") != what) throw Error("unexpected message from the supervisor");
}

void report(const char* state) {
  send_message(channel_fd, {{"state", state}});
}

// From here on this process is a node: close everything of the supervisor's except the channel,
// which becomes descriptor 3.
void let_go_of_the_supervisor(int channel, const std::filesystem::path& log) {
  if (!redirect_streams(log)) throw_errno(fmt::format("cannot write {}", log.string()));
  ::dup2(channel, channel_fd);
  ::fcntl(channel_fd, F_SETFD, FD_CLOEXEC);
  ::close_range(channel_fd + 1, ~0U, 0);
}

void be_the_node(const PlannedNode& node, const Plan& plan, const NodeSurroundings& around) {
  ::prctl(PR_SET_NAME, "slipway-node");
  if (::sethostname(node.name.data(), node.name.size()) != 0)
    throw_errno("cannot set the hostname");
  if (node.role == "compute") become_oldest_mount_namespace();
  const NodeRoot root = root_of(node, plan, around);
  build_node_root(root);
  wait_for("network");
  run_ip(addresses_batch(node));
  enter_node_root(root.folder);
  node::prepare_folders();
  if (node.role == "compute") {
    node::prepare_reports();
    node::prepare_job_states();
    if (const auto space = node::job_space()) {
      node::prepare_job_space(*space,
                              [](const std::string& text) { fmt::print(stderr, "{}\n", text); });
    }
  }
  node::write_munge_key(around.munge_key);
  node::start_munge();
  report("prepared");
  wait_for("services");
  if (node.role == "controller" && !plan.slurmdbd_conf.empty()) {
    node::start_accounting(plan.slurmdbd_conf);
  }
  node::start_daemons(node.role);
  if (node.role == "controller" && plan.tells) node::start_telling();
  if (node.role == "controller" && plan.admits) node::start_admission();
  if (node.role == "controller" && !plan.admits) node::end_admission(node::slurmctld_state);
  node::start_monitoring(plan.monitoring, parse_node_profile(node.node_json, node_profile_path),
                         scrape_interval);
  report("started");
}

}  // namespace

LocalNode start_local_node(const PlannedNode& node, const Plan& plan,
                           const NodeSurroundings& around) {
  begin_kernel_log(around.gpus, node);
  if (!node.gpu_devices.empty()) prepare_gpus(around.gpus, node);
  if (has_disk(node)) make_directories(around.health / node.name);
  SocketPair channel = make_socket_pair();
  const pid_t pid = start_in_new_namespaces(node_namespaces(), nullptr, [&] {
    int supervisor = channel.theirs.get();
    Fd image;
    try {
      let_go_of_the_supervisor(supervisor, around.logs / node.name / "init.log");
      supervisor = channel_fd;
      // Nobody removes the image as long as this process is there.
      if (!node.image.empty()) image = hold_image(ImageStore().find(node.image));
      be_the_node(node, plan, around);
    } catch (const std::exception& error) {
      send_message(supervisor, {{"error", error.what()}});
      ::_exit(1);
    }
    ::close(channel_fd);
    node::reap_children_forever();
  });
  return {pid, std::move(channel.ours)};
}

}  // namespace slipway::local
