// Runs Slurm's commands on the controller of a local cluster.
#include "launcher/local/slurm_control.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "common/error.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/local/control.h"
#include "launcher/node/service_supervisor.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

// Distinguishes nodes that we hold from those that someone else drained.
constexpr const char* our_reason = "slipway deploy";
// Epilogs take seconds; one that takes a minute is hung.
constexpr std::chrono::seconds epilog_limit = 60s;
// Of a job that has a node.
constexpr const char* every_state = "R,CF,CG,S";

}  // namespace

bool SlurmControl::State::is_out_of_service() const {
  return name.starts_with("drain") || name.starts_with("down");
}

std::string SlurmControl::run(Names argv) const {
  NodeCommand command;
  command.argv = std::move(argv);
  const ProcessResult result =
      run_on_node(folder_, controller_, command, deadline_.left(), interrupts_);
  if (result.timed_out) throw Error(deadline_.timeout_message(command.argv[0]));
  if (!result.ok()) {
    throw Error(fmt::format("{}: {}", join(command.argv, " "), trim(result.errors)));
  }
  return result.output;
}

std::map<std::string, SlurmControl::State> SlurmControl::nodes() const {
  std::map<std::string, State> found;
  for (const std::string& line : split(run({"sinfo", "-h", "-N", "-o", "%N|%T|%E"}), '\n')) {
    const Names fields = split(line, '|');
    if (fields.size() < 3) continue;
    found[fields[0]] = {fields[1], join(std::span(fields).subspan(2), "|")};
  }
  return found;
}

void SlurmControl::hold(const Names& nodes, const char* state) const {
  if (nodes.empty()) return;
  run({"scontrol", "update", "nodename=" + join(nodes, ","), fmt::format("state={}", state),
       fmt::format("reason={}", our_reason)});
}

void SlurmControl::resume(const Names& held) const {
  if (held.empty()) return;
  // A node that registers meanwhile resumes by itself, and then there is nothing to resume.
  for (int tries = 1;; ++tries) {
    const Names ours = still_held(held);
    if (ours.empty()) return;
    try {
      run({"scontrol", "update", "nodename=" + join(ours, ","), "state=resume"});
      return;
    } catch (const Error&) {
      if (tries == 3) throw;
    }
  }
}

Names SlurmControl::still_held(const Names& held) const {
  const std::map<std::string, State> known = nodes();
  Names ours;
  for (const std::string& name : held) {
    const auto state = known.find(name);
    if (state != known.end() && state->second.is_out_of_service() &&
        state->second.reason == our_reason) {
      ours.push_back(name);
    }
  }
  return ours;
}

void SlurmControl::end_lost_jobs(const Names& on) const {
  Names busy;
  for (const auto& [name, state] : nodes()) {
    const bool has_jobs = state.name.starts_with("alloc") || state.name.starts_with("mixed") ||
                          state.name.starts_with("comp");
    if (has_jobs && std::ranges::find(on, name) != on.end()) busy.push_back(name);
  }
  hold(busy, "down");
}

void SlurmControl::mark_powered_off(const Names& on_demand) const {
  if (on_demand.empty()) return;
  Names remembered;  // as on: sinfo marks nodes that are off with ~
  for (const auto& [name, state] : nodes()) {
    const bool is_off = state.name.ends_with('~');
    if (!is_off && std::ranges::find(on_demand, name) != on_demand.end())
      remembered.push_back(name);
  }
  if (remembered.empty()) return;
  run({"scontrol", "update", "nodename=" + join(remembered, ","), "state=power_down_force"});
}

void SlurmControl::refuse_jobs(const Names& nodes) const {
  wait_for_epilogs(nodes);
  const std::string running = jobs(nodes);
  if (running.empty()) return;
  throw Error(
      fmt::format("jobs run on nodes that would be stopped: {}; nothing was changed (wait "
                  "for them, or use --force to stop the nodes anyway)",
                  running));
}

// Lets jobs that have ended finish: srun returns before the epilog is done.
void SlurmControl::wait_for_epilogs(const Names& nodes) const {
  const Deadline limit(
      std::min(epilog_limit, std::chrono::ceil<std::chrono::seconds>(deadline_.left())));
  while (limit.left() > 0ms && jobs_on(nodes, "R,CF,S").empty() && !jobs_on(nodes, "CG").empty()) {
    if (interrupts_ != nullptr) interrupts_->check();
    std::this_thread::sleep_for(100ms);
  }
}

std::string SlurmControl::jobs_on(const Names& nodes, const char* states) const {
  return std::string(
      trim(run({"squeue", "-h", "-w", join(nodes, ","), "-t", states, "-o", "job %i (%j) on %N"})));
}

std::string SlurmControl::jobs(const Names& nodes) const {
  std::vector<std::string> jobs = split(jobs_on(nodes, every_state), '\n');
  for (std::string& job : jobs) job = without_controls(job);
  return join(jobs, ", ");
}

void SlurmControl::restart() const {
  run({"/opt/slipway/bin/slipway", "node", "restart", "slurmctld"});
}

void SlurmControl::end() const {
  const std::string process = fmt::format("{}/slurmctld", node::running_services);
  run({"sh", "-c",
       fmt::format("kill -TERM \"$(cat {0})\" && while [ -e {0} ]; do sleep 0.02; done", process)});
}

void SlurmControl::reread() const {
  run({"scontrol", "reconfigure"});
}

}  // namespace slipway::local
