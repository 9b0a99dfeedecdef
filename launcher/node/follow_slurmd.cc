// Decides what makes slurmd use a changed configuration.
#include <fmt/core.h>

#include <array>
#include <set>

#include "common/text.h"
#include "launcher/node/follow.h"
#include "launcher/node/slurm_settings.h"

namespace slipway::node {
namespace {

// What slurmd reads only when it starts: slurm.conf(5). `jobs`: running jobs were started with it.
struct Key {
  const char* name;
  bool jobs = false;
};
constexpr std::array read_by_slurmd_at_start = {Key{"grestypes"},
                                                Key{"jobacctgathertype", true},
                                                Key{"jobcontainertype", true},
                                                Key{"plugindir"},
                                                Key{"proctracktype", true},
                                                Key{"slurmctldport"},
                                                Key{"slurmdparameters"},
                                                Key{"slurmdport"},
                                                Key{"slurmdspooldir", true},
                                                Key{"switchtype", true},
                                                Key{"taskplugin", true},
                                                Key{"mpidefault"},
                                                Key{"acctgatherenergytype"}};

// Files that slurmd and its jobs read once.
constexpr std::array files_read_at_start = {Key{"cgroup.conf", true}, Key{"gres.conf"},
                                            Key{"job_container.conf", true}, Key{"mpi.conf"}};

// A key or another way of authentication would end the node's connection to slurmctld: the whole
// cluster has to change at once.
constexpr std::array need_a_boot = {"authtype", "credtype", "clustername", "slurmuser"};

std::string value_in(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second;
}

}  // namespace

SlurmdChange slurmd_change(const std::map<std::string, std::string>& before,
                           const std::map<std::string, std::string>& after) {
  if (before == after) return {};
  SlurmdChange change{SlurmdChange::How::reload};
  const auto add = [&](const Key& key, const std::string& was, const std::string& is) {
    if (was == is) return;
    if (change.how != SlurmdChange::How::restart) change.why = fmt::format("{} changed", key.name);
    change.how = SlurmdChange::How::restart;
    change.needs_idle = change.needs_idle || key.jobs;
  };
  const auto was = settings_of(before).values, is = settings_of(after).values;
  for (const char* key : need_a_boot) {
    if (!before.contains("slurm.conf") || value_in(was, key) == value_in(is, key)) continue;
    change.impossible = fmt::format("{} changed", key);
    return change;
  }
  for (const Key& key : read_by_slurmd_at_start) {
    add(key, value_in(was, key.name), value_in(is, key.name));
  }
  for (const Key& file : files_read_at_start) {
    add(file, value_in(before, file.name), value_in(after, file.name));
  }
  return change;
}

bool is_slurm_conf_of_slurmctld(const std::string& config) {
  for (const std::string& line : split(config, '\n')) {
    if (!line.starts_with("HASH_VAL")) continue;
    const size_t equals = line.find('=');
    return equals != line.npos && trim(std::string_view(line).substr(equals + 1)) == "Match";
  }
  // Slurm compares nothing with DebugFlags=NO_CONF_HASH.
  return true;
}

}  // namespace slipway::node
