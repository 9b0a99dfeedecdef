// Merges settings from the blueprint into Slipway's own.
#include "launcher/cluster/slurm_overrides.h"

#include <fmt/core.h>
#include <strings.h>

#include <algorithm>
#include <array>

#include "common/text.h"
#include "launcher/cluster/slurm_line.h"

namespace slipway::cluster {

const std::vector<std::string> fixed_settings = {"AccountingStorageBackupHost",
                                                 "AccountingStorageHost",
                                                 "AccountingStoragePort",
                                                 "AccountingStorageType",
                                                 "AuthType",
                                                 "ClusterName",
                                                 "CredType",
                                                 "Epilog",
                                                 "JobContainerType",
                                                 "NamespaceType",
                                                 "PlugStackConfig",
                                                 "Prolog",
                                                 "ResumeFailProgram",
                                                 "ResumeProgram",
                                                 "SlurmctldHost",
                                                 "SlurmctldLogFile",
                                                 "SlurmctldPidFile",
                                                 "SlurmctldPort",
                                                 "SlurmdLogFile",
                                                 "SlurmdPidFile",
                                                 "SlurmdPort",
                                                 "SlurmdSpoolDir",
                                                 "SlurmUser",
                                                 "StateSaveLocation",
                                                 "SuspendExcNodes",
                                                 "SuspendProgram",
                                                 "TaskEpilog",
                                                 "TaskProlog"};
const std::vector<std::string> fixed_slurmdbd_settings = {
    "AuthType",    "DbdBackupHost", "DbdHost",     "DbdPort",    "LogFile",
    "PidFile",     "SlurmUser",     "StorageHost", "StorageLoc", "StoragePass",
    "StoragePort", "StorageType",   "StorageUser"};

namespace {

// Keys whose value is a list of options that add up.
constexpr auto lists =
    std::to_array<std::string_view>({"LaunchParameters", "PrivateData", "PrologFlags",
                                     "SchedulerParameters", "SlurmctldParameters"});
constexpr auto parts_of_the_cluster =
    std::to_array<std::string_view>({"DownNodes", "NodeName", "NodeSet", "PartitionName"});

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

template <class Keys>
bool has(const Keys& keys, std::string_view key) {
  return std::ranges::any_of(keys, [&](std::string_view one) { return same(one, key); });
}

// The lines without comments; one that ends with a backslash includes the next.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  bool goes_on = false;
  for (const std::string& raw : split(text, '\n')) {
    std::string line(trim(raw.substr(0, raw.find('#'))));
    const bool next = line.ends_with('\\');
    if (next) line.pop_back();
    if (goes_on) {
      lines.back() += line;
    } else {
      lines.push_back(std::move(line));
    }
    goes_on = next;
  }
  return lines;
}

void read_line(const std::string& line, const std::vector<std::string>& fixed, Template& read) {
  if (line.empty() || same(line.substr(0, 8), "include ")) return;
  const size_t equals = line.find('=');
  const std::string key(trim(line.substr(0, equals)));
  std::string value(equals == line.npos ? "" : trim(line.substr(equals + 1)));
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
    value = value.substr(1, value.size() - 2);
  }
  const bool is_placeholder = line.find('{') != line.npos;
  if (equals == line.npos) {
    if (!is_placeholder) read.problems.push_back(fmt::format("`{}` is not KEY=VALUE", line));
  } else if (has(parts_of_the_cluster, key)) {
    read.problems.push_back(fmt::format("`{}` follows from the blueprint's nodesets", key));
  } else if (is_placeholder) {
    return;
  } else if (has(fixed, key)) {
    read.not_used.push_back(key);
  } else if (const std::string problem = override_problem(key, value, {}); !problem.empty()) {
    read.problems.push_back(problem);
  } else {
    read.settings[key] = value;
  }
}

// "bf_interval" of "bf_interval=2".
std::string_view option_name(std::string_view option) {
  return option.substr(0, option.find('='));
}

std::string added(const std::string& theirs, const std::string& ours) {
  std::vector<std::string> all = split(theirs, ',');
  for (const std::string& option : split(ours, ',')) {
    const bool known = std::ranges::any_of(all, [&](const std::string& one) {
      return same(option_name(trim(one)), option_name(option));
    });
    if (!known) all.push_back(option);
  }
  return join(all, ",");
}

// auth/slurm instead of munge: it needs no other daemon than Slurm's.
void use_slurm_auth(std::vector<SlurmSetting>& settings) {
  for (SlurmSetting& setting : settings) {
    if (setting.key == "AuthType") {
      setting = {"AuthType", "auth/slurm", "Slurm's daemons share the cluster's key, slurm.key."};
    } else if (setting.key == "CredType") {
      setting.value = "cred/slurm";
    }
  }
}

}  // namespace

Template read_template(std::string_view text, const std::vector<std::string>& fixed) {
  Template read;
  for (const std::string& line : lines_of(text)) read_line(line, fixed, read);
  return read;
}

bool has_setting(const std::vector<SlurmSetting>& settings, std::string_view key) {
  return std::ranges::any_of(settings,
                             [&](const SlurmSetting& setting) { return same(setting.key, key); });
}

void override_settings(std::vector<SlurmSetting>& settings,
                       const std::map<std::string, std::string>& overrides) {
  bool first = true;
  for (const auto& [key, value] : overrides) {
    const auto found = std::ranges::find_if(
        settings, [&key = key](const SlurmSetting& setting) { return same(setting.key, key); });
    if (found == settings.end()) {
      settings.push_back({key, value, first ? "From the blueprint." : ""});
      first = false;
    } else {
      found->value = has(lists, key) ? added(value, found->value) : value;
    }
  }
}

void follow_message_timeout(std::vector<SlurmSetting>& common) {
  const auto value = [&](std::string_view key) {
    const auto found = std::ranges::find(common, key, &SlurmSetting::key);
    return found == common.end() ? 0 : to_number<int64_t>(found->value).value_or(0);
  };
  const int64_t least = 5 * value("MessageTimeout");
  if (value("UnkillableStepTimeout") < least) {
    override_settings(common, {{"UnkillableStepTimeout", std::to_string(least)}});
  }
}

void follow_blueprint(const Controller& controller, bool has_gpus,
                      std::vector<SlurmSetting>& common, std::vector<SlurmSetting>& settings) {
  if (controller.slurm_auth) use_slurm_auth(settings);
  if (controller.lists_from_template) {
    const auto left_out = [&](const SlurmSetting& setting) {
      return setting.key == "LaunchParameters" || setting.key == "SlurmctldParameters" ||
             (setting.key == "GresTypes" && !has_gpus);
    };
    std::erase_if(common, left_out);
    std::erase_if(settings, left_out);
  }
  std::map<std::string, std::string> in_common, others;
  for (const auto& [key, value] : controller.slurm_conf) {
    (has_setting(common, key) ? in_common : others)[key] = value;
  }
  override_settings(common, in_common);
  if (!in_common.contains("UnkillableStepTimeout")) follow_message_timeout(common);
  override_settings(settings, others);
}

}  // namespace slipway::cluster
