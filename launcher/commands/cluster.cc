// `slipway cluster describe`: Slipway on a Slurm cluster that exists already.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/interrupts.h"
#include "common/locale_text.h"
#include "common/node_profile.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/apply/console.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/verb.h"
#include "launcher/health/policy.h"
#include "launcher/hosts/node_answers.h"
#include "launcher/hosts/site_files.h"
#include "launcher/hosts/site_plan.h"
#include "launcher/hosts/slurmd_unit.h"
#include "launcher/node/host_names.h"
#include "launcher/node/services.h"

namespace slipway::commands {
namespace {

constexpr size_t largest_policy = size_t{16} << 20;

struct DescribeOptions {
  hosts::SiteWishes site;
  std::string nodes;
  bool yes = false, undo = false, apply = false;
};

// What the nodes said: the profiles, and a line for each kind of node and each problem.
struct Survey {
  std::vector<std::string> answered;
  std::vector<std::string> lines;
};

std::string kind_of(const NodeProfile& profile) {
  const auto gpu_nics =
      std::ranges::count(profile.network_interfaces, "gpu", &NodeProfile::Interface::purpose);
  std::string text = profile.machine_type;
  if (profile.gpus.count > 0) {
    text += fmt::format(", {} {}", profile.gpus.count, profile.gpus.model);
  }
  if (gpu_nics > 0) text += fmt::format(", {} for GPUs", counted(gpu_nics, "interface"));
  return text + ", transport " + profile.transport.name;
}

std::string slipway_program() {
  return (find_installation().programs() / "slipway").string();
}

Survey ask_to_describe(const std::vector<std::string>& names, const std::string& cluster) {
  Survey survey;
  std::map<std::string, std::vector<std::string>> kinds;
  std::vector<std::string> problems;
  for (const hosts::NodeAnswer& answer :
       hosts::ask_nodes(names, {slipway_program(), "node", "describe", "--json", "--node", "{}",
                                "--cluster", cluster})) {
    try {
      if (!answer.problem.empty()) throw Error(answer.problem);
      kinds[kind_of(parse_node_profile(answer.text, "its answer"))].push_back(answer.node);
      survey.answered.push_back(answer.node);
    } catch (const Error& error) {
      problems.push_back(fmt::format("{}: {}", answer.node, error.what()));
    }
  }
  for (const auto& [kind, nodes] : kinds) {
    survey.lines.push_back(
        fmt::format("{}: {}: {}", counted(nodes.size(), "node"), kind, cut(join(nodes, ", "), 60)));
  }
  std::ranges::move(problems, std::back_inserter(survey.lines));
  return survey;
}

void show_site_plan(const hosts::SitePlan& plan) {
  for (const hosts::SiteChange& change : plan.changes) {
    fmt::print("{}",
               for_locale(hosts::difference(change.path.string(), change.before, change.after)));
  }
  for (const std::string& note : plan.notes) fmt::print("note: {}\n", for_locale(note));
}

// Whether the user agrees: --yes, or an answer on a terminal.
bool agreed(const DescribeOptions& options, const std::string& question) {
  std::fflush(stdout);
  if (options.yes) return true;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    fmt::print(stderr, "nothing is changed; to do it, add --yes\n");
    return false;
  }
  Interrupts interrupts;
  return apply::Console().ask(question, interrupts);
}

std::vector<std::string> wanted_nodes(const DescribeOptions& options) {
  if (options.nodes == "none") return {};
  if (!options.nodes.empty()) return node::host_names(options.nodes);
  std::vector<std::string> names;
  for (const hosts::SiteNode& node : hosts::nodes_of_slurm()) names.push_back(node.name);
  return names;
}

// Runs a command on nodes and reports those where it failed. True if none did.
bool on_nodes(const std::vector<std::string>& nodes, const std::vector<std::string>& command,
              const std::string& done) {
  size_t good = 0;
  for (const hosts::NodeAnswer& answer : hosts::ask_nodes(nodes, command)) {
    if (answer.problem.empty()) {
      ++good;
    } else {
      fmt::print(stderr, "{}: {}\n", answer.node, answer.problem);
    }
  }
  fmt::print("{} on {} of {}\n", done, good, counted(nodes.size(), "node"));
  return good == nodes.size();
}

// Before 23.11, slurmd looks only when it starts whether plugins want to run before and after jobs.
bool slurmd_must_restart() {
  return node::slurm_version() < SlurmVersion{23, 11, 0};
}

std::string question_of(const DescribeOptions& options, const std::string& what) {
  if (!options.apply) return what + "?";
  return what + (slurmd_must_restart() ? ", and have Slurm read it (slurmd restarts, jobs go on)?"
                                       : ", and have Slurm read it?");
}

// Restarts slurmd on nodes where it is a service of systemd that leaves jobs alone. True if it did
// on all of them.
bool restart_slurmd(const std::vector<std::string>& nodes) {
  std::vector<std::string> fit;
  for (const hosts::NodeAnswer& answer : hosts::ask_nodes(nodes, hosts::ask_for_slurmd_unit())) {
    const std::string problem = hosts::why_not_restart(answer);
    if (problem.empty()) {
      fit.push_back(answer.node);
    } else {
      fmt::print(stderr, "{}: restart slurmd yourself: {}\n", answer.node, for_locale(problem));
    }
  }
  const bool good = on_nodes(fit, hosts::restart_slurmd_unit(), "slurmd restarted");
  return good && fit.size() == nodes.size();
}

// Has Slurm read the files, or says how. False if it did not on all of these nodes.
bool let_slurm_read(const DescribeOptions& options, const std::vector<std::string>& nodes) {
  if (!options.apply) {
    fmt::print(
        "next: scontrol reconfigure, after you copied changed files to nodes that have their own\n"
        "{}",
        slurmd_must_restart()
            ? "then, on all nodes: systemctl restart slurmd (jobs go on; this Slurm does not load\n"
              "  plugins for checks of nodes otherwise)\n"
            : "");
    return true;
  }
  run_checked({"scontrol", "reconfigure"});
  fmt::print("Slurm has read its files\n");
  return !slurmd_must_restart() || restart_slurmd(nodes);
}

// Names the service that nodes wait for if the health policy has deep checks.
void show_service_of_deep_checks(const hosts::SiteWishes& site) {
  for (const std::filesystem::path& path :
       {std::filesystem::path(health::own_policy_path), site.folder / "health.yaml"}) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    if (health::policy_checks_deeply(read_regular_file(path, largest_policy))) {
      fmt::print(
          "note: {} has deep_checks: nodes wait until slipway-admission.service runs where "
          "slurmctld does\n",
          for_locale(path.string()));
    }
    return;  // the first one replaces the other
  }
}

int undo(const DescribeOptions& options) {
  const hosts::SitePlan plan = hosts::plan_undo(options.site);
  const std::vector<std::string> nodes = wanted_nodes(options);
  show_site_plan(plan);
  if (!agreed(options, question_of(options, "Take these lines out, and the node profiles"))) {
    return 1;
  }
  hosts::carry_out(plan);
  const bool removed =
      on_nodes(nodes, {slipway_program(), "node", "describe", "--remove"}, "profile removed");
  const bool read = let_slurm_read(options, nodes);
  return removed && read ? 0 : 1;
}

int describe_site(const DescribeOptions& options) {
  const hosts::SitePlan plan = hosts::plan_site(options.site, find_installation());
  const std::vector<std::string> nodes = wanted_nodes(options);
  const Survey survey = ask_to_describe(nodes, plan.cluster);
  for (const std::string& line : survey.lines) fmt::print("{}\n", for_locale(line));
  show_site_plan(plan);
  if (options.site.health) show_service_of_deep_checks(options.site);
  if (survey.answered.empty() && !nodes.empty()) {
    throw Error("no node described itself, so nothing is changed");
  }
  const std::string what =
      fmt::format("Write this, and {}", counted(survey.answered.size(), "node profile"));
  if (!agreed(options, question_of(options, what))) return 1;
  hosts::carry_out(plan);
  const bool written = on_nodes(survey.answered,
                                {slipway_program(), "node", "describe", "--node", "{}", "--cluster",
                                 plan.cluster, "--output", std::string(node_profile_path)},
                                "profile written");
  const bool read = let_slurm_read(options, survey.answered);
  fmt::print("on login nodes: slipway node describe --role login --output {}\n", node_profile_path);
  return written && read && survey.answered.size() == nodes.size() ? 0 : 1;
}

int cluster_describe(Args args) {
  DescribeOptions options;
  std::string folder = options.site.folder.string();
  bool without_health = false;
  CommandLine line("slipway cluster describe",
                   "Set up Slipway on a Slurm cluster that exists, and show what changes first.");
  line.about(
      "Run it as root where slurmctld runs, once Slipway is installed on all nodes in the same "
      "place. A job on each node asks it what it is (`slipway node describe`). Then it shows the "
      "lines that it would add to slurm.conf and plugstack.conf, and asks; a setting of yours "
      "stays. If you agree, it writes them between two marks, and each node writes its "
      "profile to /etc/slipway/node.json. --undo takes all of it out again. Nodes in use answer "
      "once a CPU is free. With --apply, Slurm reads the files at once: use it where all nodes "
      "share them, or have copied them already.");
  line.option("config", "FOLDER", "where slurm.conf is", &folder);
  line.option("nodes", "HOSTLIST", "ask only these nodes; `none`: no node", &options.nodes,
              "all nodes");
  line.option("nccl-env", "on|warn|off",
              "set NCCL's variables in jobs, only print what you would set, or neither",
              &options.site.nccl_env);
  line.flag("without-health", "do not let Slurm run health checks", &without_health);
  line.flag("apply",
            "run `scontrol reconfigure` then, and before Slurm 23.11 also restart slurmd on the "
            "nodes (jobs go on)",
            &options.apply);
  line.flag("undo", "take out what this command has written", &options.undo);
  line.flag("yes", "do not ask", &options.yes);
  line.example("sudo slipway cluster describe --apply", "see what it finds, and decide");
  line.example("sudo slipway cluster describe --undo --apply", "take all of it out again");
  line.exit_status("1", "not all was done: you said no, or nodes did not answer or restart slurmd");
  line.see_also("slipway-node-describe(1)");
  line.see_also("slipway-doctor(1)");
  if (!line.parse(args)) return 0;
  if (options.site.nccl_env != "on" && options.site.nccl_env != "warn" &&
      options.site.nccl_env != "off") {
    throw UsageError("--nccl-env is on, warn or off");
  }
  if (options.site.nccl_env == "off") options.site.nccl_env.clear();
  options.site.folder = folder;
  options.site.health = !without_health;
  require_root();
  return options.undo ? undo(options) : describe_site(options);
}

}  // namespace

int cluster(Args args) {
  return run_part({"slipway cluster",
                   "Set up Slipway on a Slurm cluster that something else deployed.",
                   "docs/start/existing-slurm.md is the guide.",
                   {{"describe", cluster_describe}},
                   {{"sudo slipway cluster describe", "see what it finds, and decide"},
                    {"sudo slipway cluster describe --undo", "take all of it out again"}}},
                  args);
}

}  // namespace slipway::commands
