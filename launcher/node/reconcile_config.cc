// Takes a changed configuration over while slurmctld runs.
#include "launcher/node/reconcile_config.h"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/sha256.h"
#include "common/text.h"
#include "launcher/node/job_space.h"
#include "launcher/node/services.h"
#include "launcher/node/topology_file.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr std::string_view slurm_folder = "slurm/";
constexpr const char* installed_folder = "/etc/slurm";
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

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The settings of slurm.conf outside node and partition lines, and the node names that it lists.
struct Settings {
  std::map<std::string, std::string> values;  // keys in lower case; repeated ones joined
  std::set<std::string> nodes;
};

Settings settings_of(const Files& files) {
  Settings settings;
  const auto file = files.find("slurm.conf");
  if (file == files.end()) return settings;
  for (const std::string& line : split(file->second, '\n')) {
    const std::string text(trim(std::string_view(line).substr(0, line.find('#'))));
    const size_t equals = text.find('=');
    if (equals == text.npos) continue;
    const std::string key = lower_case(std::string(trim(text.substr(0, equals))));
    const std::string value(trim(std::string_view(text).substr(equals + 1)));
    if (key == "nodename") {
      settings.nodes.insert(value.substr(0, value.find(' ')));
    } else if (key != "partitionname" && key != "nodeset") {
      settings.values[key] += value + "\n";
    }
  }
  return settings;
}

// slurm.conf's files in cluster.json by their own name. Throws Error for a name with a folder.
Files digests_of(const ClusterFile& cluster) {
  Files digests;
  for (const auto& [name, digest] : cluster.files) {
    if (!name.starts_with(slurm_folder)) continue;
    const std::string own = name.substr(slurm_folder.size());
    if (own.empty() || own.find('/') != own.npos || own[0] == '.') {
      throw Error(fmt::format("`{}` is not a Slurm configuration file", name));
    }
    digests[own] = digest;
  }
  return digests;
}

Files fetch_files(Cloud& cloud, const MachineMetadata& self, const ClusterFile& cluster,
                  const Patience& patience) {
  Files files;
  for (const auto& [name, digest] : digests_of(cluster)) {
    const std::string path = fmt::format("{}/{}{}", self.folder, slurm_folder, name);
    std::string text = persist(patience, fmt::format("gs://{}/{}", self.bucket, path), [&] {
      std::string content = cloud.object(self.bucket, path);
      if (sha256(content) != digest) throw NotYet("its content does not match cluster.json");
      return content;
    });
    files[name] = name == "job_container.conf"
                      ? job_container_conf_for(std::move(text), slurm_version())
                      : std::move(text);
  }
  return files;
}

Files installed_files(const Files& names) {
  Files files;
  for (const auto& [name, content] : names) {
    const fs::path path = fs::path(installed_folder) / name;
    if (fs::exists(path)) files[name] = read_file(path);
  }
  return files;
}

void write_files(const Files& files) {
  for (const auto& [name, content] : files) {
    write_changed(fs::path(installed_folder) / name, content);
  }
}

// Without systemd: ends slurmctld, which saves its state, so that it can be started again.
void end_slurmctld() {
  const pid_t process = to_number<pid_t>(trim(read_file("/run/slurmctld.pid"))).value_or(0);
  const fs::path name = fmt::format("/proc/{}/comm", process);
  if (process <= 1 || !fs::exists(name) || trim(read_file(name)) != "slurmctld") return;
  ::kill(process, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (listens(slurmctld_port)) {
    if (std::chrono::steady_clock::now() > end) throw Error("slurmctld does not end within 60 s");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// Running jobs and slurmd do not notice it; commands wait.
void restart_slurmctld() {
  if (fs::is_directory("/run/systemd/system")) {
    start_daemons("controller", IfRunning::restart);
  } else {
    end_slurmctld();
    const Service service{{"/usr/sbin/slurmctld", "-D"},
                          "root",
                          fmt::format("{}/slurmctld.out", log_folder),
                          "slurmctld.service"};
    run_service(
        service, [] { return listens(slurmctld_port); }, IfRunning::keep, std::chrono::seconds(30));
  }
}

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
  const Settings old_ones = settings_of(before), new_ones = settings_of(after);
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
  for (const auto& [name, digest] : digests_of(cluster)) all += name + " " + digest + "\n";
  return sha256(all);
}

void follow_machines(const ClusterFile& cluster, const Say& say) {
  if (!update_topology(cluster, slurm_version())) return;
  say("the topology of Slurm follows the places of the machines");
  use_files(Takeover::How::reconfigure);
}

bool configuration_differs(const ClusterFile& cluster) {
  return std::ranges::any_of(digests_of(cluster), [](const auto& file) {
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
  Files fresh = fetch_files(cloud, self, cluster, patience);
  const Files before = installed_files(fresh);
  if (const auto own = before.find(topology);
      own != before.end() && is_from_machines(own->second)) {
    fresh[topology] = own->second;  // follow_machines() adds new nodes
  }
  const Takeover takeover = takeover_of(before, fresh, slurm_version());
  if (takeover.how == Takeover::How::nothing) return;
  write_files(fresh);
  try {
    use_files(takeover.how);
  } catch (const Error& error) {
    write_files(before);
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
