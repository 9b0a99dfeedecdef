// What findings mean: health.yaml of the catalogue, and one file of the user's laid over it.
//
// The file's own comments say what its keys are; docs/health.md has them for users.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/health/kernel_log.h"
#include "launcher/health/record_form.h"
#include "launcher/source/diagnostics.h"

namespace slipway::health {

// What is to be done with a node, from nothing on. From `drain` on it gets no job; `reboot` and
// `replace` are drains whose reason asks for it.
enum class Action { none, note, degrade, drain, reboot, replace };

std::string_view name_of(Action action);
std::optional<Action> action_named(std::string_view name);

// The n-th time within some hours means more.
struct Escalation {
  int times = 0;  // 0: never
  double hours = 0;
  Action action = Action::none;
};

struct Rule {
  Action action = Action::note;
  Escalation escalation;
  std::string about;
};

// Somebody who has published what Xids mean, and what their words mean here.
struct XidSource {
  std::string title;
  std::map<std::string, Action> means;
};

struct XidRow {
  std::string name;
  std::map<std::string, std::string> says;  // source and its word
  Escalation escalation;
  std::optional<Action> own;  // of the user's file, before every source
};

// What a model of GPU has when it is whole. 0: it is not checked.
struct GpuModel {
  std::string name;  // a part of NVML's name of it, in lower case: "h100"
  int nvlinks = 0, pcie_generation = 0, pcie_width = 0;
};

struct KernelPattern {
  std::string name;                // what is reported; nothing of the record itself
  Level level = Level::emergency;  // or worse
  RecordForm record;
  std::string finding;
};

struct Breaker {
  int nodes = 0;       // this many nodes of a partition,
  double share = 0;    // or this share of them when that is more,
  double minutes = 0;  // are drained by us within this time, and no more
};

struct Policy {
  std::map<std::string, Rule> findings;
  std::map<std::string, XidSource> xid_sources;
  std::map<int, XidRow> xids;
  std::map<std::string, std::vector<std::string>> presets;  // sources, the first that knows counts
  std::string preset;
  std::map<std::string, Action> recovery_actions;  // by the driver's word
  std::map<std::string, double> limits;
  std::map<std::string, double> deadlines;  // seconds, by stage
  std::map<std::string, GpuModel> gpu_models;
  std::vector<KernelPattern> kernel_log;
  std::vector<RecordForm> program_records;  // begin with a program's name
  std::vector<std::string> disks, mounts, daemons;
  std::vector<std::string> user_folders;  // where users may leave files on a node's own disks
  Breaker breaker;
  int good_looks = 0;  // a drain of ours is undone after so many in a row
  bool jobs_may_skip = false;

  double limit(const std::string& name) const { return limits.at(name); }

  // What an Xid means, and who says so: "nvidia: reset-gpu".
  struct XidMeaning {
    Rule rule;
    std::string name, who;
  };
  XidMeaning meaning_of_xid(int xid) const;
};

// Where a site's own file may be on a node: its own, and the cluster's, which comes from the
// blueprint.
inline constexpr const char* own_policy_path = "/etc/slipway/health.yaml";
inline constexpr const char* cluster_policy_path = "/etc/slurm/health.yaml";

// The policy in a text of `sources` that has the form of the catalogue's health.yaml. What is wrong
// is in `diagnostics` (E0902); then the policy is not to be used.
Policy read_policy(source::Span text, source::Sources& sources, source::Diagnostics& diagnostics);

// Reads `folder`/health.yaml, or what was prepared of it, and over it `own`, a text of `sources`,
// unless that is empty. What is wrong is in `diagnostics` (E0902 in the catalogue's file, E0903 in
// the user's); then the policy is not to be used. Throws Error when the catalogue's file cannot be
// read.
Policy load_policy(const std::filesystem::path& folder, source::Span own, source::Sources& sources,
                   source::Diagnostics& diagnostics);
// The same, with `own` read from a file; without one, from that of this machine, if it has one.
Policy load_policy_file(const std::filesystem::path& folder, const std::filesystem::path& own,
                        source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::health
