// What findings mean: the catalog's health.yaml, overlaid with one file of the site's own.
//
// The file's comments explain its keys; docs/guides/health.md documents them for users.
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

// What to do with a node, by rising severity. From `drain` on, it gets no jobs; `reboot` and
// `replace` are drains whose reason requests that repair.
enum class Action { none, note, degrade, drain, reboot, replace };

std::string_view name_of(Action action);
std::optional<Action> action_named(std::string_view name);

// Repeated findings within some hours call for more.
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

// A source that publishes what Xids mean, and our action for each of its terms.
struct XidSource {
  std::string title;
  std::map<std::string, Action> means;
};

struct XidRow {
  std::string name;
  std::map<std::string, std::string> says;  // by source: its term
  Escalation escalation;
  std::optional<Action> own;  // from the site's file; wins over every source
};

// What a healthy GPU of this model has. 0: not checked.
struct GpuModel {
  std::string name;  // part of NVML's name for it, in lower case: "h100"
  int nvlinks = 0, pcie_generation = 0, pcie_width = 0;
  double memory_gb_per_s = 0;  // a copy within its memory, read plus written; GB = 1e9 bytes
  double host_gb_per_s = 0;    // between pinned memory of the host and the GPU, in each direction
};

struct KernelPattern {
  std::string name;                // reported as evidence, instead of the record's text
  Level level = Level::emergency;  // or worse
  RecordForm record;
  std::string finding;
};

// Limits how many nodes Slipway drains: at most `nodes` of a partition, or `share` of it if that is
// more, within `minutes`.
struct Breaker {
  int nodes = 0;
  double share = 0;
  double minutes = 0;
};

// Whom to tell, besides Slurm, what happens on the cluster: launcher/tell/.
struct Telling {
  std::string program;            // its path; empty: none
  std::string webhook;            // an URL, or the path of a file that contains one; empty: none
  std::vector<std::string> mail;  // addresses
  std::string sendmail;           // the path of the site's program
  std::vector<std::string> events;
  int most = 0;  // messages within `minutes`; more are counted
  double minutes = 0;
  int job_nodes = 0;  // failures of jobs on fewer nodes are not told

  bool tells() const { return !program.empty() || !webhook.empty() || !mail.empty(); }
  bool tells(const std::string& event) const;
};

// Nodes that jobs may not have until deep checks and a scan of pairs have passed:
// launcher/node/admission.h.
struct DeepChecks {
  std::vector<std::string> when;  // of deep_check_times; empty: never
  double retry_minutes = 0;       // until a node that did not pass is checked again
  double detect_percent = 0;      // what a slow node loses at least: bandwidth_scan --detect
  double scan_mib = 0;            // what a pair gathers; 0: what the scan chooses

  bool any() const { return !when.empty(); }
  bool at(std::string_view time) const;
};

// What DeepChecks::when may contain: the machine's first start, any start, and the return of a node
// that was drained or down.
inline constexpr const char* deep_check_times[] = {"new", "boot", "return"};

bool is_told_path(const std::string& text);  // absolute
bool is_plain_url(const std::string& text);  // http or https, perhaps with a port, no password
// Of a person elsewhere, or of an account here: nothing that a mail program could take for an
// option or a second address.
bool is_mail_address(const std::string& text);

// What Telling::events may contain, and what the catalog's has.
inline constexpr const char* told_events[] = {"drain", "breaker", "job-failure", "spares"};

struct Policy {
  std::map<std::string, Rule> findings;
  std::map<std::string, XidSource> xid_sources;
  std::map<int, XidRow> xids;
  std::map<std::string, std::vector<std::string>>
      presets;  // sources; the first that lists an Xid wins
  std::string preset;
  std::map<std::string, Action> recovery_actions;  // by the driver's term
  std::map<std::string, double> limits;
  std::map<std::string, double> deadlines;  // seconds, by stage
  std::map<std::string, GpuModel> gpu_models;
  std::vector<KernelPattern> kernel_log;
  std::vector<RecordForm> program_records;  // records that begin with a program's name
  std::vector<std::string> disks, mounts, daemons;
  std::vector<std::string> user_folders;  // where users may leave files on a node's local disks
  Breaker breaker;
  Telling tell;
  DeepChecks deep_checks;
  int clean_checks = 0;  // needed in a row before Slipway resumes a node
  bool jobs_may_skip = false;

  double limit(const std::string& name) const { return limits.at(name); }

  // What an Xid means, and according to whom: "nvidia: reset-gpu".
  struct XidMeaning {
    Rule rule;
    std::string name, who;
  };
  XidMeaning meaning_of_xid(int xid) const;
};

// Where a site's policy may be on a node: the node's own file, and the cluster's, which comes from
// the blueprint.
inline constexpr const char* own_policy_path = "/etc/slipway/health.yaml";
inline constexpr const char* cluster_policy_path = "/etc/slurm/health.yaml";

// "OWN, else CLUSTER": which file is read if none is named, for the help of commands.
std::string usual_policy_files();

// Reads a policy from a text of `sources` in the form of the catalog's health.yaml. Errors go to
// `diagnostics` (E0902); do not use the policy then.
Policy read_policy(source::Span text, source::Sources& sources, source::Diagnostics& diagnostics);

// Reads `folder`/health.yaml, or its prepared form, and overlays it with `own`, a text of
// `sources`, unless that is empty. Errors go to `diagnostics` (E0902 in the catalog's file, E0903
// in the user's); do not use the policy then. Throws Error if the catalog's file cannot be read.
Policy load_policy(const std::filesystem::path& folder, source::Span own, source::Sources& sources,
                   source::Diagnostics& diagnostics);
// The same, with `own` read from a file; if it is empty, from this machine's policy file, if any.
Policy load_policy_file(const std::filesystem::path& folder, const std::filesystem::path& own,
                        source::Sources& sources, source::Diagnostics& diagnostics);

// Whether a site's policy has `tell` or `deep_checks`, which need a service of the controller. The
// text is known to be a policy.
bool policy_tells(const std::string& text);
bool policy_checks_deeply(const std::string& text);

}  // namespace slipway::health
