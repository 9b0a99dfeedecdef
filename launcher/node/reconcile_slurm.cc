// Asks Slurm about its nodes, and changes their state.
#include "launcher/node/reconcile_slurm.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/reason.h"

namespace slipway::node {
namespace {

constexpr size_t most_names = 200;  // in a command

const ProcessOptions in_time{.input = "", .deadline = std::chrono::seconds(30)};

// scontrol reads times as local ones.
std::string slurm_time(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts = {};
  ::localtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

struct Change {
  const char* state;
  bool has_reason;
};

// The state that `scontrol update` is given; null for what it does not do.
Change change_of(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::down:
      return {"down", true};
    case Step::Kind::power_down:
      return {"power_down", false};
    case Step::Kind::power_up:
      return {"power_up", false};
    case Step::Kind::replace:
      return {"power_down_asap", true};
    case Step::Kind::available:
    case Step::Kind::resume:
      return {"resume", false};
    case Step::Kind::drain:
      return {"drain", true};
    case Step::Kind::reserve:
    case Step::Kind::release:
    case Step::Kind::maintain:
    case Step::Kind::remove:
      break;
  }
  return {nullptr, false};
}

std::vector<std::string> reservation_command(const Step& step) {
  if (step.kind == Step::Kind::release) return {"delete", "reservationname=" + step.name};
  return {"create",
          "reservation",
          "reservationname=" + step.name,
          "nodes=" + step.why,
          "starttime=" + slurm_time(step.start),
          "endtime=" + slurm_time(step.end),
          "user=root",
          "flags=maint,ignore_jobs"};
}

bool belongs_to(const SlurmCommand& command, const Step& step) {
  if (command.steps.empty() || command.steps.size() == most_names) return false;
  const Step& other = command.steps.back();
  return other.kind == step.kind && other.why == step.why;
}

}  // namespace

std::vector<NodeState> nodes_in_slurm() {
  std::vector<NodeState> nodes =
      parse_node_states(run_checked({"/usr/bin/sinfo", "--noheader", "--Node", "--all",
                                     "--Format=NodeList:|,StateComplete:|,Reason:|"},
                                    in_time));
  if (nodes.empty()) throw Error("Slurm reports no node");
  return nodes;
}

std::vector<SlurmCommand> slurm_commands(const std::vector<Step>& steps) {
  std::vector<SlurmCommand> commands;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::reserve || step.kind == Step::Kind::release) {
      commands.push_back({reservation_command(step), {step}});
      continue;
    }
    if (change_of(step.kind).state == nullptr) continue;
    // Another kind between two of the same does not matter: they concern other nodes, or follow in
    // the order of the kinds.
    const auto found = std::ranges::find_if(
        commands, [&](const SlurmCommand& command) { return belongs_to(command, step); });
    if (found == commands.end()) {
      commands.push_back({{}, {step}});
    } else {
      found->steps.push_back(step);
    }
  }
  for (SlurmCommand& command : commands) {
    if (command.argv.empty()) {
      const Change change = change_of(command.steps.front().kind);
      std::vector<std::string> names;
      for (const Step& step : command.steps) names.push_back(step.name);
      command.argv = {"update", "nodename=" + join(names, ","),
                      fmt::format("state={}", change.state)};
      if (change.has_reason) {
        command.argv.push_back("reason=" + reason_for_slurm(command.steps.front().why));
      }
    }
    command.argv.insert(command.argv.begin(), "/usr/bin/scontrol");
  }
  return commands;
}

void run_in_slurm(const SlurmCommand& command) {
  run_checked(command.argv, in_time);
}

}  // namespace slipway::node
