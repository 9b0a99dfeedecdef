// Makes a machine that exists already a node of a cluster.
#include "launcher/node/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/json.h"
#include "common/node_profile.h"
#include "common/process.h"
#include "launcher/node/admission_slurm.h"
#include "launcher/node/auth.h"
#include "launcher/node/cluster_files.h"
#include "launcher/node/daemon_change.h"
#include "launcher/node/follow.h"
#include "launcher/node/installed_slurm.h"
#include "launcher/node/job_scripts.h"
#include "launcher/node/job_space.h"
#include "launcher/node/key.h"
#include "launcher/node/machine.h"
#include "launcher/node/machine_services.h"
#include "launcher/node/services.h"
#include "launcher/node/slurm_files.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What a machine remembers of the order that it follows.
constexpr const char* memory_path = "/var/lib/slipway/joined.json";
constexpr const char* unit_path = "/etc/systemd/system/slipway-joined.service";

struct JoinMemory {
  std::string deployment, role;
  std::vector<std::string> files;     // in /etc/slurm
  std::vector<std::string> services;  // units that it has started beside Slurm
  std::map<std::string, std::string> hosts;
};

JoinMemory remembered() {
  if (!fs::exists(memory_path)) return {};
  try {
    const json body = parse_json(read_file(memory_path));
    const JsonValue value(body);
    JoinMemory memory;
    memory.deployment = value.at("deployment").text();
    memory.role = value.at("role").text();
    memory.files = value.at("files").texts();
    // An older version wrote none.
    if (const auto services = value.find("services")) memory.services = services->texts();
    for (const auto& [name, address] : value.at("hosts").members()) {
      memory.hosts[name] = address.text();
    }
    return memory;
  } catch (const Error& error) {
    throw error.within(memory_path);
  }
}

void remember(const JoinOrder& order, const std::map<std::string, std::string>& files,
              const std::vector<std::string>& services) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back(name);
  make_directories(fs::path(memory_path).parent_path());
  write_file(memory_path,
             json{{"schema", join_schema},
                  {"deployment", order.deployment},
                  {"role", order.role},
                  {"files", names},
                  {"services", services},
                  {"hosts", order.hosts}}
                     .dump(2) +
                 "\n",
             0600);
}

void require_ours(const JoinOrder& order, const JoinMemory& memory) {
  if (!memory.deployment.empty() && memory.deployment != order.deployment) {
    throw Error(fmt::format(
        "this machine is in the deployment `{}`: destroy that first, or give it other machines",
        memory.deployment));
  }
  if (has_foreign_slurm()) {
    throw Error(fmt::format(
        "this machine has a Slurm of its own: {}/slurm.conf is not Slipway's. To add Slipway to "
        "that cluster, run `slipway cluster describe` on its controller; to replace it, remove the "
        "file",
        installed_folder));
  }
  for (const auto& [name, text] : order.files) {
    if (name.empty() || name[0] == '.' || name.find('/') != name.npos) {
      throw Error(fmt::format("`{}` is not a Slurm configuration file", name));
    }
  }
}

fs::path key_path(Auth auth) {
  return auth == Auth::slurm ? "/etc/slurm/slurm.key" : "/etc/munge/munge.key";
}

// That of the order; on a controller, its own one, which it makes if there is none.
std::string own_key(const JoinOrder& order, Auth auth) {
  if (order.role != "controller") return order.key;
  return fs::exists(key_path(auth)) ? read_file(key_path(auth)) : random_key();
}

// Slurm's unit files order nothing before slurmd, and what is mounted on /run goes at each boot.
void keep_at_boot(const std::string& role) {
  if (!has_systemd()) return;
  const std::string text = fmt::format(
      "# Written by `slipway node join`.\n"
      "[Unit]\n"
      "Description=Slipway: what Slurm needs on this node\n"
      "Before=slurmd.service slurmctld.service\n\n"
      "[Service]\n"
      "Type=oneshot\n"
      "RemainAfterExit=yes\n"
      "ExecStart={}/slipway node join --boot\n\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      find_installation().programs().string());
  write_changed(unit_path, text);
  run_checked({"/bin/systemctl", "daemon-reload"});
  std::vector<std::string> enable{"/bin/systemctl", "enable", "--quiet", "slipway-joined.service",
                                  "munge.service"};
  if (role == "controller") enable.emplace_back("slurmctld.service");
  if (role == "compute") enable.emplace_back("slurmd.service");
  run_checked(enable);
}

// Slurm's daemons that run with changed files.
void take_over(const std::string& role, const SlurmdChange& change, Joined& joined) {
  if (role == "controller" && listens(slurmctld_port)) {
    restart_slurmctld();
    joined.restarted.emplace_back("slurmctld");
  } else if (role == "compute" && listens(slurmd_port)) {
    if (change.how == SlurmdChange::How::reload) {
      reload_slurmd();
    } else {
      restart_slurmd({});
    }
    joined.restarted.emplace_back("slurmd");
  }
}

void require_no_jobs(const std::string& role, const SlurmdChange& change) {
  const bool matters = change.needs_idle || !change.impossible.empty();
  if (role != "compute" || !matters || !listens(slurmd_port)) return;
  const std::set<std::string> jobs = running_jobs();
  if (jobs.empty()) return;
  throw Error(fmt::format(
      "{}, and {} jobs run here that were started with the old setting: drain the node and deploy "
      "again",
      change.impossible.empty() ? change.why : change.impossible, jobs.size()));
}

// Files of the order before that are not in this one.
void remove_old_files(const JoinMemory& memory, const std::map<std::string, std::string>& files,
                      Joined& joined) {
  for (const std::string& name : memory.files) {
    if (files.contains(name) || !fs::remove(fs::path(installed_folder) / name)) continue;
    joined.changed.push_back(name);
  }
}

std::map<std::string, std::string> names_to_compare(const JoinMemory& memory,
                                                    std::map<std::string, std::string> files) {
  for (const std::string& name : memory.files) files.emplace(name, "");
  return files;
}

bool contains(const std::vector<std::string>& units, const std::string& unit) {
  return std::ranges::find(units, unit) != units.end();
}

// The units that run while services are changed: all of both.
std::vector<std::string> with_all(std::vector<std::string> units,
                                  const std::vector<Service>& services) {
  for (const Service& service : services) {
    if (!contains(units, service.unit)) units.push_back(service.unit);
  }
  return units;
}

}  // namespace

std::string joined_deployment() {
  return remembered().deployment;
}

bool has_foreign_slurm() {
  return !fs::exists(memory_path) && fs::exists(fs::path(installed_folder) / "slurm.conf");
}

void prepare_joined_node() {
  const JoinMemory memory = remembered();
  if (memory.deployment.empty()) throw Error("this machine is in no deployment");
  prepare_folders();
  if (memory.role != "compute") return;
  prepare_reports();
  prepare_job_states();
  if (const auto space = job_space()) make_directories(*space);
}

Joined join_cluster(const JoinOrder& order) {
  const JoinMemory memory = remembered();
  require_ours(order, memory);
  std::map<std::string, std::string> files = order.files;
  suit_slurm_files(files, installed_slurm());
  const auto before = installed_files(names_to_compare(memory, files));
  const SlurmdChange change = slurmd_change(before, files);
  require_no_jobs(order.role, change);

  Joined joined;
  joined.former_hosts = memory.hosts;
  const std::vector<Service> wanted = wanted_services(order.role, order.monitoring, files);
  remember(order, files, with_all(memory.services, wanted));
  if (write_changed(node_profile_path, order.profile)) joined.changed.emplace_back("node.json");
  for (const auto& [name, text] : files) {
    if (write_changed(fs::path(installed_folder) / name, text)) joined.changed.push_back(name);
  }
  remove_old_files(memory, files, joined);
  if (write_scripts(order.scripts)) joined.changed.emplace_back("scripts around jobs");
  prepare_joined_node();
  keep_at_boot(order.role);

  const Auth auth = auth_of(files.contains("slurm.conf") ? files.at("slurm.conf") : "");
  const std::string key = own_key(order, auth);
  const bool new_key = write_key(auth, key);
  if (new_key) joined.changed.push_back(key_path(auth).filename());
  if (order.role == "controller") joined.key = key;
  start_auth(auth, order.role, new_key && has_systemd() ? IfRunning::restart : IfRunning::keep);
  if (before != files || new_key) take_over(order.role, change, joined);
  start_daemons(order.role);
  const std::vector<std::string> units = keep_services(wanted, memory.services);
  remember(order, files, units);
  if (contains(memory.services, admitter_service().unit) &&
      !contains(units, admitter_service().unit)) {
    end_admission(slurmctld_state);
  }
  return joined;
}

std::vector<std::string> leave_cluster(const std::string& deployment) {
  const JoinMemory memory = remembered();
  if (memory.deployment.empty()) return {};
  if (memory.deployment != deployment) {
    throw Error(fmt::format("this machine is in the deployment `{}`", memory.deployment));
  }
  if (has_systemd()) keep_services({}, memory.services);
  stop_slurm();
  std::vector<std::string> removed;
  const auto remove = [&](const fs::path& path) {
    if (fs::remove(path)) removed.push_back(path);
  };
  for (const std::string& name : memory.files) remove(fs::path(installed_folder) / name);
  write_scripts({});
  remove(node_profile_path);
  remove(unit_path);
  if (has_systemd()) run_checked({"/bin/systemctl", "daemon-reload"});
  remove(memory_path);
  return removed;
}

}  // namespace slipway::node
