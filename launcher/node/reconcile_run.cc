// Runs the reconciler once, on the controller.
#include "launcher/node/reconcile_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/sha256.h"
#include "common/text.h"
#include "launcher/node/boot.h"
#include "launcher/node/compute.h"
#include "launcher/node/controllers.h"
#include "launcher/node/follow.h"
#include "launcher/node/monitoring.h"
#include "launcher/node/power.h"
#include "launcher/node/reconcile_config.h"
#include "launcher/node/reconcile_flex.h"
#include "launcher/node/reconcile_memory.h"
#include "launcher/node/reconcile_slurm.h"

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr int64_t between_checks_of_policies = 600;  // seconds
constexpr const char* compute_url = "https://compute.googleapis.com/compute/v1/";

class Run {
 public:
  Run(Cloud& cloud, const Patience& patience, const ReconcileOptions& options, const Say& say)
      : cloud_(cloud), patience_(patience), options_(options), say_(say) {}

  int run() {
    self_ = fetch_machine_metadata(cloud_, patience_);
    if (self_.role != "controller") throw Error("this machine is not a controller");
    cluster_ = fetch_cluster_file(cloud_, self_, patience_);
    if (!is_in_control(self_, cluster_)) return stand_by();
    before_ = load_memory(memory_path());
    before_.templates = template_times();
    nodes_ = nodes_in_slurm();
    list_all_machines();
    Plan plan = plan_steps(situation(), before_);
    if (options_.only_show) {
      for (const Step& step : plan.steps) say_(text_of(step));
      return 0;
    }
    after_ = std::move(plan.memory);
    drop_unconfirmed(plan.steps);
    change_slurm(plan.steps);
    change_cloud(plan.steps);
    remove_leftovers();
    take_new_configuration();
    take("slurmdbd keeps its configuration",
         [&] { follow_accounting(cloud_, patience_, self_, cluster_, say_); });
    take("slurmctld keeps its topology", [&] { follow_machines(cluster_, say_); });
    take("this machine is not monitored as the blueprint says",
         [&] { take_monitoring(cluster_.monitoring, say_); });
    after_.said = std::move(said_);
    write_file(memory_path(), to_json(after_), 0600);
    return failed_;
  }

 private:
  std::filesystem::path memory_path() const { return options_.folder / "memory.json"; }

  Situation situation() const {
    const Graces graces;
    return {cluster_, nodes_, machines_,
            options_.longest_grace ? graces.at_most(*options_.longest_grace) : graces, now_};
  }

  // The controller that is in control does the rest.
  int stand_by() {
    if (options_.only_show) {
      say_("this controller is not in control");
    } else {
      FollowOptions follow;
      follow.standby = true;
      follow_configuration(cloud_, patience_, follow, say_);
      follow_accounting(cloud_, patience_, self_, cluster_, say_);
    }
    return 0;
  }

  // Reports a problem that lasts only once.
  void fail(const std::string& what) {
    ++failed_;
    complain(what);
  }

  void complain(const std::string& what) {
    if (!before_.said.contains(what)) say_(what);
    said_.insert(what);
  }

  std::set<std::string> projects() const {
    std::set<std::string> projects = {cluster_.controller_project};
    for (const auto& [name, nodeset] : cluster_.nodesets) projects.insert(nodeset.project);
    return projects;
  }

  void list_all_machines() {
    for (const std::string& project : projects()) {
      MachineList list = list_machines(cloud_, project, cluster_.cluster, patience_);
      machines_.unknown_zones.merge(list.unknown_zones);
      std::ranges::move(list.machines, std::back_inserter(machines_.machines));
    }
  }

  // When the nodesets' templates were made. A template never changes, so one request is enough.
  std::map<std::string, int64_t> template_times() {
    std::map<std::string, int64_t> times;
    for (const auto& [name, nodeset] : cluster_.nodesets) {
      const std::string& link = nodeset.instance_template;
      if (link.empty() || nodeset.static_count == 0 || times.contains(link)) continue;
      const auto known = before_.templates.find(link);
      try {
        times[link] = known != before_.templates.end() ? known->second : template_time(link);
      } catch (const Refused& error) {
        complain(fmt::format("cannot read the template of nodeset {}: {}", name, error.what()));
      }
    }
    return times;
  }

  int64_t template_time(const std::string& link) {
    const json made = persist(patience_, "an instance template", [&] {
      return cloud_.call("GET", compute_url + template_path(link) + "?fields=creationTimestamp");
    });
    const auto time = made.find("creationTimestamp");
    return time != made.end() && time->is_string() ? seconds_of(*time) : 0;
  }

  // What follows from a machine that is missing in the list needs a second, differently put
  // question: a label that was removed must not take a node down.
  void drop_unconfirmed(std::vector<Step>& steps) {
    std::vector<std::string> doubtful;
    for (const Step& step : steps) {
      if (step.if_gone) doubtful.push_back(step.name);
    }
    if (doubtful.empty()) return;
    std::vector<std::string> off;
    try {
      off = machines_off(cloud_, cluster_, doubtful, patience_);
    } catch (const Error& error) {
      fail(fmt::format("cannot confirm that machines are gone: {}", error.what()));
    }
    std::erase_if(steps, [&](const Step& step) {
      if (!step.if_gone || std::ranges::find(off, step.name) != off.end()) return false;
      if (step.kind == Step::Kind::power_down) {
        complain(
            fmt::format("{} has a machine, but not with the label {}", step.name, cluster_label));
      }
      return true;
    });
  }

  void change_slurm(const std::vector<Step>& steps) {
    for (const SlurmCommand& command : slurm_commands(steps)) {
      try {
        run_in_slurm(command);
        for (const Step& step : command.steps) say_(text_of(step));
      } catch (const Error& error) {
        const Step& first = command.steps.front();
        fail(fmt::format("cannot {}: {}", text_of(first), one_line(error.what())));
        if (first.kind == Step::Kind::reserve) after_.reservations.erase(first.name);
      }
    }
  }

  void change_cloud(const std::vector<Step>& steps) {
    std::vector<CloudCall> calls;
    std::vector<std::string> what;
    for (const Step& step : steps) {
      const bool removes = step.kind == Step::Kind::remove;
      if (!removes && step.kind != Step::Kind::maintain) continue;
      calls.push_back(
          {removes ? "DELETE" : "POST",
           fmt::format("{}projects/{}/zones/{}/instances/{}{}", compute_url, step.project,
                       step.zone, url_encode(step.name), removes ? "" : "/performMaintenance")});
      what.push_back(text_of(step));
    }
    ask_cloud(calls, what);
  }

  // Requests changes and does not wait for them: the next run sees what came of them, and requests
  // again what the cloud refused. `what` has a text for each call.
  void ask_cloud(std::vector<CloudCall>& calls, const std::vector<std::string>& what) {
    if (calls.empty()) return;
    try {
      cloud_.call_many(calls);
    } catch (const Error& error) {
      return fail(fmt::format("cannot ask the cloud for changes: {}", error.what()));
    }
    for (size_t i = 0; i < calls.size(); ++i) report(calls[i], what[i]);
  }

  void report(const CloudCall& call, const std::string& what) {
    if (!call.error) return say_(what);
    try {
      std::rethrow_exception(call.error);
    } catch (const Refused& error) {
      if (error.status != 404) fail(fmt::format("cannot {}: {}", what, error.what()));
    } catch (const NotYet& error) {
      fail(fmt::format("cannot {}: {}", what, error.what()));
    }
  }

  bool has_placement() const {
    return std::ranges::any_of(cluster_.nodesets, [](const auto& nodeset) {
      return nodeset.second.placement.has_value();
    });
  }

  bool buys_flex(const std::string& project) const {
    return std::ranges::any_of(cluster_.nodesets, [&](const auto& nodeset) {
      return nodeset.second.project == project &&
             std::ranges::any_of(nodeset.second.buy,
                                 [](const Way& way) { return way.model == "FLEX_START"; });
    });
  }

  // What `resume` makes besides machines.
  void remove_leftovers() {
    const bool has_flex = std::ranges::any_of(
        projects(), [&](const std::string& project) { return buys_flex(project); });
    if (!has_placement() && !has_flex) return;
    if (now_ - before_.policies_checked <
        std::min(between_checks_of_policies, situation().graces.policy)) {
      for (const auto& [what, since] : before_.since) {
        if (what.starts_with("policy ") || what.starts_with("group ")) after_.since[what] = since;
      }
      return;
    }
    after_.policies_checked = now_;
    for (const std::string& project : projects()) {
      for (const std::string& region : regions(project)) remove_policies_in(project, region);
      if (buys_flex(project)) remove_groups_in(project);
    }
  }

  void remove_groups_in(const std::string& project) {
    Compute compute(cloud_, project, patience_);
    try {
      std::vector<GroupOfNodes> groups;
      for (const MadeGroup& group : list_flex_groups(compute, cluster_.cluster)) {
        groups.push_back({group, nodes_of_group(compute, group)});
      }
      const std::vector<MadeGroup> unused = unused_groups(situation(), groups, after_, before_);
      if (unused.empty()) return;
      delete_flex_groups(compute, cluster_.cluster, unused);
      for (const MadeGroup& group : unused) {
        say_(fmt::format("delete group of flex-start machines {}: no node waits for it",
                         group.name));
      }
    } catch (const Error& error) {
      fail(fmt::format("cannot delete groups of flex-start machines: {}", error.what()));
    }
  }

  std::set<std::string> regions(const std::string& project) const {
    std::set<std::string> regions;
    for (const auto& [name, nodeset] : cluster_.nodesets) {
      if (nodeset.project != project || !nodeset.placement) continue;
      for (const std::string& zone : nodeset.zones) regions.insert(zone.substr(0, zone.rfind('-')));
    }
    return regions;
  }

  void remove_policies_in(const std::string& project, const std::string& region) {
    const std::string url =
        fmt::format("{}projects/{}/regions/{}/resourcePolicies", compute_url, project, region);
    std::vector<CloudCall> calls;
    std::vector<std::string> what;
    try {
      for (const std::string& policy :
           unused_policies(situation(), list_policies(url), after_, before_)) {
        calls.push_back({"DELETE", url + "/" + url_encode(policy)});
        what.push_back(fmt::format("delete placement policy {}: no machine uses it", policy));
      }
      ask_cloud(calls, what);
    } catch (const Error& error) {
      fail(fmt::format("cannot list placement policies in {}: {}", region, error.what()));
    }
  }

  // The names of this cluster's placement policies.
  std::vector<std::string> list_policies(const std::string& url) {
    std::vector<std::string> names;
    const std::string filter = url_encode(fmt::format("name eq \"{}-.*\"", cluster_.cluster));
    std::string page;
    do {
      const json answer =
          cloud_.call("GET", fmt::format("{}?maxResults=500&filter={}{}", url, filter,
                                         page.empty() ? "" : "&pageToken=" + url_encode(page)));
      for (const json& policy : answer.value("items", json::array())) {
        if (policy.contains("groupPlacementPolicy")) names.push_back(policy.value("name", ""));
      }
      page = answer.value("nextPageToken", "");
    } while (!page.empty());
    return names;
  }

  // Nodes that run jobs and are no longer in the configuration: Slurm would lose the jobs.
  bool must_wait_for_jobs() const {
    return std::ranges::any_of(nodes_, [&](const NodeState& node) {
      const NodeName name = parse_node_name(cluster_.cluster, node.node);
      if (name.number < 0 || node.flags.contains("dynamic_norm") || !node.runs_jobs()) return false;
      const Nodes* nodeset = nodeset_of(cluster_, node.node);
      const int count = nodeset == nullptr ? 0 : nodeset->static_count + nodeset->dynamic_count;
      return nodeset == nullptr || (count > 0 && name.number >= count);
    });
  }

  void take_new_configuration() {
    try {
      if (!configuration_differs(cluster_)) {
        after_.refused_configuration.clear();
        return;
      }
      const std::string digest = configuration_digest(cluster_);
      if (digest == before_.refused_configuration) {
        fail("slurmctld runs with an older configuration");
      } else if (must_wait_for_jobs()) {
        complain("a new configuration waits until nodes that it does not have are free of jobs");
      } else {
        after_.refused_configuration = digest;
        take_configuration(cloud_, self_, cluster_, patience_, say_);
        after_.refused_configuration.clear();
      }
    } catch (const std::exception& error) {
      fail(fmt::format("slurmctld keeps its configuration: {}", one_line(error.what())));
    }
  }

  // Another part of what the blueprint says; the others are taken over even if it fails.
  template <typename Action>
  void take(const char* otherwise, const Action& action) {
    try {
      action();
    } catch (const std::exception& error) {
      fail(fmt::format("{}: {}", otherwise, one_line(error.what())));
    }
  }

  static std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return std::string(trim(text));
  }

  Cloud& cloud_;
  const Patience& patience_;
  const ReconcileOptions& options_;
  const Say& say_;
  const int64_t now_ = std::time(nullptr);
  MachineMetadata self_;
  ClusterFile cluster_;
  std::vector<NodeState> nodes_;
  MachineList machines_;
  Memory before_, after_;
  std::set<std::string> said_;
  int failed_ = 0;
};

}  // namespace

int reconcile(Cloud& cloud, const Patience& patience, const ReconcileOptions& options,
              const Say& say) {
  make_directories(options.folder, 0700);
  const Fd lock = try_lock(options.folder / "lock");
  if (!lock) throw Error("another run is still at work");
  return Run(cloud, patience, options, say).run();
}

}  // namespace slipway::node
