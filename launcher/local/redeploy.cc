// Making another cluster of a deployment that runs.
#include "launcher/local/redeploy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/text.h"
#include "launcher/local/changes.h"
#include "launcher/local/control.h"
#include "launcher/local/plan_json.h"
#include "launcher/local/wait_for_nodes.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Names = std::vector<std::string>;

// States of a node that jobs can run on, or do already.
const std::set<std::string> usable = {"idle", "allocated", "mixed", "completing", "planned"};
// Those, and states that somebody wants a node to be in, or that it was in before.
const std::set<std::string> settled = {"idle",     "allocated", "mixed",    "completing", "planned",
                                       "draining", "drained",   "drained*", "down",       "down*",
                                       "inval",    "maint",     "reserved", "allocated*"};
// Epilogs take seconds; one that takes a minute hangs, and is for somebody to look at.
constexpr std::chrono::seconds epilog_limit = 60s;

class Redeploy {
 public:
  Redeploy(const Plan& wanted, const DeploymentFolder& folder, const LaunchOptions& options,
           const Interrupts& interrupts)
      : wanted_(wanted),
        standing_(*standing_plan(folder)),
        folder_(folder),
        options_(options),
        interrupts_(interrupts),
        deadline_(options.deadline) {}

  Launched run() {
    // One that was broken off has changed some things: the rest is found by looking.
    const bool unfinished = std::filesystem::exists(folder_.changing());
    const Changes changes = compare(standing_, wanted_);
    if (!changes.any() && !unfinished) return {true, 0, 0};
    say(fmt::format("deployment `{}` runs, and changes:", folder_.name()));
    for (const std::string& line : lines(changes)) say("  " + line);
    if (unfinished) say("  what the last change, which was broken off, has left to do");

    vacate(compute_nodes(standing_, changes.stopped()));
    try {
      write_file(folder_.changing(), "");
      write_folder(wanted_, folder_);
      adopt(changes.stopped());
    } catch (const Error&) {
      set_state(held_, "resume");
      throw;
    }
    const Names off = unfinished ? nodes_that_are_off() : startable(changes.started());
    tell_slurm(changes, unfinished, off);
    power_on(off);
    const Names computing = compute_nodes(wanted_, off);
    release();
    wait_for_nodes(folder_, controller(), {computing.begin(), computing.end()}, usable, deadline_,
                   interrupts_);
    if (unfinished) {
      // Some were started by the change that was broken off.
      wait_for_nodes(folder_, controller(), always_on(), settled, deadline_, interrupts_);
    }
    std::filesystem::remove(folder_.changing());
    const std::chrono::duration<double> seconds = Clock::now() - begin_;
    return {false, computing.size(), seconds.count(), true};
  }

 private:
  using Clock = std::chrono::steady_clock;

  void say(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }

  // Nodes that Slurm has asked for are let come up first.
  void adopt(const Names& off) const {
    while (ask({{"request", "adopt"}, {"off", off}}).value("busy", false)) {
      if (deadline_.left() <= 0ms) throw Error(deadline_.too_late("nodes that are starting"));
      interrupts_.wait(-1, 100ms);
    }
  }

  const std::string& controller() const { return wanted_.controller().name; }

  json ask(const json& body) const {
    return request(folder_, body, std::chrono::ceil<std::chrono::seconds>(deadline_.left()));
  }

  std::string on_controller(Names argv) const {
    NodeCommand command;
    command.argv = std::move(argv);
    const ProcessResult result =
        run_on_node(folder_, controller(), command, deadline_.left(), &interrupts_);
    if (result.timed_out) throw Error(deadline_.too_late(command.argv[0]));
    if (!result.ok()) {
      throw Error(fmt::format("{}: {}", join(command.argv, " "), trim(result.errors)));
    }
    return result.output;
  }

  static Names compute_nodes(const Plan& plan, const Names& names) {
    Names found;
    for (const PlannedNode& node : plan.nodes) {
      const bool named = std::ranges::find(names, node.name) != names.end();
      if (named && node.role == "compute") found.push_back(node.name);
    }
    return found;
  }

  std::set<std::string> always_on() const {
    std::set<std::string> found;
    for (const PlannedNode& node : wanted_.nodes) {
      if (node.role == "compute" && !node.on_demand) found.insert(node.name);
    }
    return found;
  }

  // Those on demand are for Slurm to start.
  Names startable(const Names& names) const {
    Names found;
    for (const PlannedNode& node : wanted_.nodes) {
      const bool named = std::ranges::find(names, node.name) != names.end();
      if (named && !node.on_demand) found.push_back(node.name);
    }
    return found;
  }

  Names nodes_that_are_off() const {
    Names off;
    const json status = ask({{"request", "status"}});
    for (const json& node : status.at("nodes")) {
      if (!node.at("running").get<bool>()) off.push_back(node.at("name"));
    }
    return startable(off);
  }

  // No job is to run on nodes that are stopped, and none is to begin there.
  void vacate(const Names& nodes) {
    if (nodes.empty()) return;
    if (!options_.force) refuse_jobs(nodes);
    for (const std::string& line :
         split(on_controller({"sinfo", "-h", "-N", "-n", join(nodes, ","), "-o", "%N %T"}), '\n')) {
      const std::string name = line.substr(0, line.find(' '));
      const bool stays = line.find("drain") != line.npos || line.find("down") != line.npos;
      if (!stays && !name.empty() && std::ranges::find(held_, name) == held_.end()) {
        held_.push_back(name);
      }
    }
    set_state(held_, options_.force ? "down" : "drain");
    if (options_.force) return;
    try {
      refuse_jobs(nodes);
    } catch (const Error&) {
      set_state(held_, "resume");
      throw;
    }
  }

  void set_state(const Names& nodes, const char* state) const {
    if (nodes.empty()) return;
    Names argv = {"scontrol", "update", "nodename=" + join(nodes, ","),
                  fmt::format("state={}", state)};
    if (state != std::string("resume")) argv.push_back("reason=slipway deploy");
    on_controller(std::move(argv));
  }

  void refuse_jobs(const Names& nodes) const {
    wait_for_epilogs(nodes);
    const std::string jobs = jobs_on(nodes, "R,CF,CG,S");
    if (jobs.empty()) return;
    throw Error(
        fmt::format("jobs run on nodes that would be stopped: {}; nothing was changed (wait "
                    "for them, or --force takes the nodes away from them)",
                    join(split(jobs, '\n'), ", ")));
  }

  // Jobs that have ended are let finish: srun returns before the epilog does.
  void wait_for_epilogs(const Names& nodes) const {
    const Deadline limit(
        std::min(epilog_limit, std::chrono::ceil<std::chrono::seconds>(deadline_.left())));
    while (limit.left() > 0ms && jobs_on(nodes, "R,CF,S").empty() &&
           !jobs_on(nodes, "CG").empty()) {
      interrupts_.wait(-1, 100ms);
    }
  }

  std::string jobs_on(const Names& nodes, const char* states) const {
    return std::string(trim(on_controller(
        {"squeue", "-h", "-w", join(nodes, ","), "-t", states, "-o", "job %i (%j) on %N"})));
  }

  // Slurm learns of it while all nodes that it has heard of can be asked.
  void tell_slurm(const Changes& changes, bool unfinished, const Names& off) {
    const bool is_off = std::ranges::find(off, controller()) != off.end();
    if (is_off) {
      power_on({controller()});
    } else if (changes.slurm == Changes::Slurm::restart || unfinished) {
      on_controller({"/opt/slipway/bin/slipway", "node", "restart", "slurmctld"});
    }
    if (is_off || changes.slurm != Changes::Slurm::nothing || unfinished) {
      on_controller({"scontrol", "reconfigure"});
    }
  }

  void power_on(const Names& nodes) const {
    if (nodes.empty()) return;
    const json answer = ask({{"request", "power"}, {"on", true}, {"nodes", nodes}});
    for (const json& failed : answer.at("failed")) {
      throw Error(fmt::format("node {}: {}", failed.at("nodes").at(0).get<std::string>(),
                              failed.at("reason").get<std::string>()));
    }
  }

  // Those that come back may have jobs again.
  void release() const {
    Names back;
    for (const std::string& name : held_) {
      if (std::ranges::find(wanted_.nodes, name, &PlannedNode::name) != wanted_.nodes.end()) {
        back.push_back(name);
      }
    }
    set_state(back, "resume");
  }

  const Plan& wanted_;
  const Plan standing_;
  const DeploymentFolder& folder_;
  const LaunchOptions& options_;
  const Interrupts& interrupts_;
  const Clock::time_point begin_ = Clock::now();
  const Deadline deadline_;
  Names held_;  // nodes that we have told Slurm to give no jobs
};

}  // namespace

std::optional<Plan> standing_plan(const DeploymentFolder& folder) try {
  if (folder.life() != Life::running) return std::nullopt;
  return plan_from_json(json::parse(read_file(folder.plan())));
} catch (const json::exception& error) {
  throw Error(fmt::format("cannot read {}: {}", folder.plan().string(), error.what()));
}

Launched redeploy(const Plan& wanted, const DeploymentFolder& folder, const LaunchOptions& options,
                  const Interrupts& interrupts) {
  const Fd lock = try_lock(folder.path() / "deploying");
  if (!lock) {
    throw Error(
        fmt::format("deployment `{}` is being changed by another `slipway deploy`", folder.name()));
  }
  try {
    return Redeploy(wanted, folder, options, interrupts).run();
  } catch (const Error& error) {
    throw error.within(fmt::format("cannot change `{}`", folder.name()));
  }
}

}  // namespace slipway::local
