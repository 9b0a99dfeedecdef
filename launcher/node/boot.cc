// Boots a machine on Google Cloud into its cluster.
#include "launcher/node/boot.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/health/policy.h"
#include "launcher/node/accounting.h"
#include "launcher/node/admission_slurm.h"
#include "launcher/node/auth.h"
#include "launcher/node/boot_order.h"
#include "launcher/node/cluster_files.h"
#include "launcher/node/controllers.h"
#include "launcher/node/external_database.h"
#include "launcher/node/job_scripts.h"
#include "launcher/node/job_space.h"
#include "launcher/node/key.h"
#include "launcher/node/machine.h"
#include "launcher/node/metadata.h"
#include "launcher/node/metadata_guard.h"
#include "launcher/node/monitoring.h"
#include "launcher/node/physical_hosts.h"
#include "launcher/node/reconcile_service.h"
#include "launcher/node/services.h"
#include "launcher/node/shared_folders.h"
#include "launcher/node/slurm_settings.h"
#include "launcher/node/transport.h"

namespace slipway::node {
namespace {

constexpr int key_version = 1;

// slurmctld's programs make and delete machines with the controller's service account.
std::vector<std::string> metadata_users(const MachineMetadata& self) {
  std::vector<std::string> users = self.metadata_users;
  if (self.role == "controller") users.emplace_back("slurm");
  return users;
}

// slurmdbd reads its file in /etc/slurm, which has a link: only its own user may read the text.
void start_database_and_slurmdbd(const std::string& slurmdbd_conf, bool is_external, bool is_second,
                                 IfRunning running) {
  const std::filesystem::path link = "/etc/slurm/slurmdbd.conf";
  if (!std::filesystem::is_symlink(link)) {
    std::filesystem::remove(link);
    std::filesystem::create_symlink(slurmdbd_conf_path, link);
  }
  if (is_external) {
    start_slurmdbd(slurmdbd_conf, running, is_second);
    return;
  }
  keep_database_with_state();
  start_accounting(slurmdbd_conf, running);
}

// After the startup script, which combines the local SSDs and may have Docker keep its containers
// there.
void wait_for_what_jobs_need(const Patience& patience, const NodeProfile& profile,
                             const MachineMetadata& self) {
  wait_for_networks(patience, profile, self);
  std::vector<NodeTransport::Daemon> daemons = profile.daemons;
  daemons.push_back(profile.transport.daemon);
  for (const NodeTransport::Daemon& daemon : daemons) wait_for_devices(patience, daemon);
  persist(patience, "the containers of daemons beside jobs", [&] {
    for (const NodeTransport::Daemon& daemon : daemons) pull_images(daemon);
  });
}

// Where slurmctld keeps its state.
std::filesystem::path state_folder(const std::map<std::string, std::string>& slurm_files) {
  const std::string folder = settings_of(slurm_files).value("statesavelocation");
  return folder.empty() ? slurmctld_state : folder;
}

// The names of all zones must be known: the controller may be a file server.
void mount_file_systems(const Patience& patience, const ClusterFile& cluster,
                        const MachineMetadata& self, const Say& say) {
  share_folders(folders_to_share(cluster, self), say);
  for (const NetworkStorage& storage : mounts_of(cluster, self)) {
    if (storage.server != self.name) mount_storage(patience, storage, say);
  }
}

// What only compute nodes need.
void make_room_for_jobs(const Say& say) {
  try {
    prepare_reports();
    prepare_job_states();
  } catch (const Error& error) {
    say(fmt::format("{}; launchers cannot leave reports", error.what()));
  }
  prepare_spool();
  if (const auto space = job_space()) prepare_job_space(*space, say);
}

// Jobs run without it.
void start_monitoring_services(const ClusterFile& cluster, const NodeProfile& profile,
                               const Say& say) {
  try {
    follow_monitoring(cluster.monitoring, profile);
  } catch (const Error& error) {
    say(fmt::format("{}; this machine is not monitored as the blueprint says", error.what()));
  }
}

}  // namespace

std::string cluster_key(Cloud& cloud, const std::string& secret, bool may_make) {
  std::optional<std::string> key = cloud.secret(secret, key_version);
  if (!key && may_make) {
    cloud.add_secret_version(secret, random_key());
    key = cloud.secret(secret, key_version);
  }
  if (!key) throw NotYet("the controller has not created it yet");
  return *key;
}

MachineMetadata fetch_machine_metadata(Cloud& cloud, const Patience& patience) {
  return read_machine_metadata(
      persist(patience, "the machine's metadata", [&] { return cloud.instance(); }));
}

ClusterFile fetch_cluster_file(Cloud& cloud, const MachineMetadata& self,
                               const Patience& patience) {
  const std::string name = self.folder + "/cluster.json";
  const std::string path = fmt::format("gs://{}/{}", self.bucket, name);
  const std::string text = persist(patience, path, [&] { return cloud.object(self.bucket, name); });
  try {
    ClusterFile cluster = parse_cluster_file(text);
    cloud.say_requests(cluster.log_requests ? patience.say : nullptr);
    return cluster;
  } catch (const Error& error) {
    throw error.within(path);
  }
}

void boot(Cloud& cloud, std::chrono::seconds deadline, const Say& say) {
  const Patience patience{std::chrono::steady_clock::now() + deadline, say};
  const MachineMetadata self = fetch_machine_metadata(cloud, patience);
  say(fmt::format("this is {}, a {} machine of cluster {}", self.name, self.role, self.cluster));
  // Before anything that a user could run.
  guard_metadata(metadata_users(self), say);
  const ClusterFile cluster = fetch_cluster_file(cloud, self, patience);
  const auto files = fetch_folder(patience, cloud, self, cluster, slurm_folder);
  const std::string profile_name = profile_file(self);
  const NodeProfile profile = own_profile(
      parse_node_profile(fetch_file(patience, cloud, self, cluster, profile_name), profile_name),
      self);
  const bool is_controller = self.role == "controller";
  const Auth auth = auth_of(files.contains("slurm.conf") ? files.at("slurm.conf") : "");
  require_auth(auth, slurm_version());
  const std::string key =
      persist(patience, fmt::format("the munge key from {}", cluster.munge_key),
              [&] { return cluster_key(cloud, cluster.munge_key, is_controller); });

  warn_of_interfaces(profile, self, say);
  if (is_controller) mount_state_disk(say);
  search_all_zones(cluster, self);
  mount_file_systems(patience, cluster, self, say);
  bool changed = write_changed(node_profile_path, to_json(profile));
  changed = install_files(files) || changed;
  std::vector<std::string> slurmd_options;
  if (!self.node_conf.empty()) {
    slurmd_options = joining_options(self.node_conf);
    changed = write_changed(slurmd_options_path, slurmd_environment(slurmd_options)) || changed;
  }
  if (!is_controller) wait_for_controller_address(patience, cluster);

  prepare_folders();
  if (is_controller) {
    prepare_physical_hosts();
    prepare_shared_state(patience, cluster, state_folder(files));
  }
  if (self.role == "compute") {
    make_room_for_jobs(say);
    write_scripts(fetch_folder(patience, cloud, self, cluster, scripts_folder));
  }
  const bool new_key = write_key(auth, key);
  start_auth(auth, self.role, new_key ? IfRunning::restart : IfRunning::keep);
  record_transport_versions(profile.transport);
  const auto limit = cluster.startup_seconds.find(self.role);
  const bool has_limit = limit != cluster.startup_seconds.end();
  if (self.role == "compute" || has_limit) {
    wait_for_startup_script(patience, std::chrono::seconds(has_limit ? limit->second : 0));
  }
  if (self.role == "compute") wait_for_what_jobs_need(patience, profile, self);
  if (runs_slurmdbd(self, cluster)) {
    start_database_and_slurmdbd(own_slurmdbd_conf(patience, cloud, self, cluster),
                                cluster.database.has_value(), self.name != cluster.controller,
                                changed || new_key ? IfRunning::restart : IfRunning::keep);
  }
  start_daemons(self.role, changed || new_key ? IfRunning::restart : IfRunning::keep,
                slurmd_options);
  start_monitoring_services(cluster, profile, say);
  if (is_controller) {
    start_reconciler(say);
    start_exporter(say);
    if (files.contains("health.yaml") && health::policy_tells(files.at("health.yaml")))
      start_teller(say);
    if (files.contains("health.yaml") && health::policy_checks_deeply(files.at("health.yaml"))) {
      start_admitter(say);
    } else {
      end_admission(state_folder(files));
    }
  } else {
    start_follower(say);
  }
  say(fmt::format("{} is up", self.name));
}

}  // namespace slipway::node
