// Takes a changed configuration over while slurmctld runs.
#include "launcher/node/reconcile_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/sha256.h"
#include "common/text.h"
#include "launcher/node/accounting.h"
#include "launcher/node/cluster_files.h"
#include "launcher/node/daemon_change.h"
#include "launcher/node/external_database.h"
#include "launcher/node/services.h"
#include "launcher/node/slurm_settings.h"
#include "launcher/node/topology_file.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr const char* topology = "topology.conf";

// Parameters of slurm.conf(5) that slurmctld reads only when it starts.
constexpr std::array read_at_start = {"accountingstorageenforce",
                                      "accountingstoragetype",
                                      "authtype",
                                      "authinfo",
                                      "clustername",
                                      "credtype",
                                      "grestypes",
                                      "jobcontainertype",
                                      "maxjobcount",
                                      "maxnodecount",
                                      "plugindir",
                                      "proctracktype",
                                      "schedulertype",
                                      "selecttype",
                                      "selecttypeparameters",
                                      "slurmctldhost",
                                      "slurmctldparameters",
                                      "slurmctldport",
                                      "slurmdport",
                                      "slurmdspooldir",
                                      "slurmuser",
                                      "statesavelocation",
                                      "switchtype",
                                      "taskplugin",
                                      "topologyplugin"};

void use_files(Takeover::How how) {
  if (how == Takeover::How::restart) {
    restart_slurmctld();
  } else {
    const ProcessOptions limit{.input = "", .deadline = std::chrono::seconds(60)};
    run_checked({"/usr/bin/scontrol", "reconfigure"}, limit);
    // It answers before slurmctld has read everything.
    run_checked({"/usr/bin/sinfo", "--noheader", "--format=%D"}, limit);
  }
}

}  // namespace

Takeover takeover_of(const Files& before, const Files& after, SlurmVersion slurm) {
  if (before == after) return {};
  const SlurmSettings old_ones = settings_of(before), new_ones = settings_of(after);
  for (const char* key : read_at_start) {
    const auto was = old_ones.values.find(key), is = new_ones.values.find(key);
    const bool had = was != old_ones.values.end(), has = is != new_ones.values.end();
    if (had != has || (had && was->second != is->second)) {
      return {Takeover::How::restart, fmt::format("{} changed", key)};
    }
  }
  // https://github.com/SchedMD/slurm/blob/slurm-23.11/RELEASE_NOTES: "scontrol reconfigure" adds
  // and removes nodes from then on.
  if (old_ones.nodes != new_ones.nodes && slurm < SlurmVersion{23, 11}) {
    return {Takeover::How::restart, "nodes were added or removed"};
  }
  return {Takeover::How::reconfigure, ""};
}

std::string configuration_digest(const ClusterFile& cluster) {
  std::string all;
  for (const auto& [name, digest] : digests_in(cluster, slurm_folder))
    all += name + " " + digest + "\n";
  return sha256(all);
}

void follow_machines(const ClusterFile& cluster, const Say& say) {
  if (!update_topology(cluster, slurm_version())) return;
  say("the topology of Slurm follows the places of the machines");
  use_files(Takeover::How::reconfigure);
}

void follow_accounting(Cloud& cloud, const Patience& patience, const MachineMetadata& self,
                       const ClusterFile& cluster, const Say& say) {
  if (!runs_slurmdbd(self, cluster) || !fs::exists(slurmdbd_conf_path)) return;
  const std::string before = read_file(slurmdbd_conf_path);
  // One without a mark was written by an older version, at the last boot.
  if (!before.starts_with("# ") || before.starts_with(slurmdbd_conf_mark(cluster)) ||
      before.starts_with("# Written")) {
    return;
  }
  write_slurmdbd_conf(own_slurmdbd_conf(patience, cloud, self, cluster));
  try {
    restart_slurmdbd(self.name != cluster.controller);
  } catch (const Error&) {
    write_slurmdbd_conf(before);
    restart_slurmdbd(self.name != cluster.controller);
    throw;
  }
  say("slurmdbd uses a new configuration");
}

bool configuration_differs(const ClusterFile& cluster) {
  return std::ranges::any_of(digests_in(cluster, slurm_folder), [](const auto& file) {
    // Written for this machine's Slurm: it is compared with the others, when one of them differs.
    if (file.first == "job_container.conf") return false;
    const fs::path path = fs::path(installed_folder) / file.first;
    if (!fs::exists(path)) return true;
    const std::string text = read_file(path);
    return sha256(text) != file.second && !(file.first == topology && is_from_machines(text));
  });
}

void take_configuration(Cloud& cloud, const MachineMetadata& self, const ClusterFile& cluster,
                        const Patience& patience, const Say& say) {
  Files fresh = fetch_folder(patience, cloud, self, cluster, slurm_folder);
  const Files before = installed_files(fresh);
  if (const auto own = before.find(topology);
      own != before.end() && is_from_machines(own->second)) {
    fresh[topology] = own->second;  // follow_machines() adds new nodes
  }
  const Takeover takeover = takeover_of(before, fresh, slurm_version());
  if (takeover.how == Takeover::How::nothing) return;
  install_files(fresh);
  try {
    use_files(takeover.how);
  } catch (const Error& error) {
    install_files(before);
    try {
      use_files(takeover.how);
    } catch (const Error& again) {
      throw Error(fmt::format("{}; with the old files: {}", error.what(), again.what()));
    }
    throw;
  }
  say(takeover.how == Takeover::How::restart
          ? fmt::format("restarted slurmctld with a new configuration: {}", takeover.why)
          : "slurmctld uses a new configuration");
}

}  // namespace slipway::node
