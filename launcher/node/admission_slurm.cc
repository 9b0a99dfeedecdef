// Asks Slurm about nodes whose deep checks are due, and carries out what was planned.
#include "launcher/node/admission_slurm.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "common/error.h"
#include "common/file.h"
#include "common/host_list.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/health/history.h"
#include "launcher/health/slurm.h"
#include "launcher/node/host_names.h"

namespace slipway::node {
namespace {

const ProcessOptions in_thirty_seconds{.input = "", .deadline = std::chrono::seconds(30)};
constexpr const char* scontrol_program = "/usr/bin/scontrol";

// Besides the deep stage: the scan of pairs, and the steps' starts.
constexpr int minutes_for_pairs = 20;

std::string reservation_field() {
  return fmt::format("reservationname={}", health::deep_reservation);
}

// By Slurm's configuration; empty where nothing starts on demand.
std::set<std::string> always_on() {
  return names_of_host_list(health::always_on_nodes(
      run_checked({scontrol_program, "show", "config"}, in_thirty_seconds)));
}

std::optional<std::set<std::string>> reserved_nodes() {
  const auto list = health::nodes_of_reservation(
      run_process({scontrol_program, "--oneliner", "show", "reservation", health::deep_reservation},
                  in_thirty_seconds));
  return list ? std::optional(names_of_host_list(*list)) : std::nullopt;
}

void read_jobs_that_check(AdmissionView& view) {
  const std::string text =
      run_checked({"/usr/bin/squeue", "--noheader", "--all", "--states=all", "--user=root",
                   fmt::format("--name={}", check_job_name), "--format=%A|%T|%D|%k"},
                  in_thirty_seconds);
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, '|');
    if (words.size() < 4) continue;
    view.jobs[words[0]] = words[1];
    const bool has_nodes = words[1] == "RUNNING" || words[1] == "CONFIGURING";
    if (has_nodes && trim(words[3]) != begun_comment)
      view.unbegun[words[0]] = to_number<size_t>(words[2]).value_or(0);
  }
}

std::vector<AdmittedNode> nodes_to_admit() {
  ::setenv("SLURM_TIME_FORMAT", "%s", 1);
  return parse_admitted_nodes(
      run_checked({"/usr/bin/sinfo", "--noheader", "--Node", "--all",
                   "--Format=NodeList:|,StateComplete:|,Timestamp:|,PartitionName:|,Reason:|"},
                  in_thirty_seconds),
      always_on());
}

// Slurm refuses to resume a node that is not drained, so ask again first. An administrator may
// still be faster: then the node has what it needs.
void resume_drained(const std::vector<std::string>& names,
                    const std::vector<AdmittedNode>& before) {
  if (names.empty()) return;
  const std::vector<std::string> drained = still_drained(names, before, nodes_to_admit());
  if (drained.empty()) return;
  const ProcessResult result =
      run_process({scontrol_program, "update", "nodename=" + host_list(drained), "state=resume"},
                  in_thirty_seconds);
  if (result.ok()) return;
  const std::vector<std::string> left = still_drained(drained, before, nodes_to_admit());
  if (!left.empty())
    throw Error(fmt::format("{} cannot be resumed: {}", host_list(left), trim(result.errors)));
}

// Partners that a job got before they were reserved: back to where they were.
void let_go_of_busy_partners(AdmissionPlan& plan) {
  const std::vector<AdmittedNode> nodes = nodes_to_admit();
  std::set<std::string> busy;
  for (const AdmittedNode& node : nodes) {
    if (!node.state.flags.contains("idle")) busy.insert(node.state.node);
  }
  const std::set<std::string> before = plan.reserved;
  for (NodeCheck& check : plan.checks) {
    std::erase_if(check.partners, [&](const std::string& name) {
      return busy.contains(name) && plan.reserved.erase(name) > 0;
    });
  }
  const auto command = reservation_command(before, plan.reserved);
  if (!command.empty()) run_checked(command, in_thirty_seconds);
}

}  // namespace

std::set<std::string> names_of_host_list(const std::string& host_list) {
  if (host_list.empty()) return {};
  const std::vector<std::string> names = host_names(host_list);
  return {names.begin(), names.end()};
}

AdmissionView read_admission_view() {
  AdmissionView view;
  view.reserved = reserved_nodes();
  view.nodes = nodes_to_admit();
  if (view.nodes.empty()) throw Error("Slurm reports no node");
  read_jobs_that_check(view);
  view.now = std::time(nullptr);
  return view;
}

CheckJob check_job(const NodeCheck& check, const health::Policy& policy,
                   const std::string& program) {
  const std::set<std::string> all = check.all();
  const int minutes =
      static_cast<int>(std::ceil(policy.deadlines.at("deep") / 60)) + minutes_for_pairs;
  CheckJob job;
  job.argv = {"/usr/bin/sbatch",
              "--parsable",
              fmt::format("--job-name={}", check_job_name),
              fmt::format("--reservation={}", health::deep_reservation),
              "--partition=" + check.partition,
              "--nodelist=" + host_list(all),
              fmt::format("--nodes={}", all.size()),
              "--ntasks-per-node=1",
              "--exclusive",
              "--no-requeue",
              "--no-kill",
              fmt::format("--time={}", minutes),
              "--export=NONE",
              "--chdir=/",
              fmt::format("--output={}/deep-checks.log", health::state_folder),
              "--open-mode=truncate"};
  job.script = fmt::format(
      "#!/bin/sh\n# Slipway checks these nodes before other jobs may have them: "
      "docs/guides/health.md.\n"
      // Slurm 24.11 gives a job without its submitter's environment none of these.
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root\nexport PATH HOME\nexec {} health examine "
      "{}\n",
      program, host_list(check.nodes));
  return job;
}

std::vector<std::string> reservation_command(const std::optional<std::set<std::string>>& current,
                                             const std::set<std::string>& wanted) {
  if (wanted.empty()) {
    if (!current) return {};
    return {scontrol_program, "delete", reservation_field()};
  }
  if (!current) {
    return {scontrol_program,
            "create",
            "reservation",
            reservation_field(),
            "starttime=now",
            "duration=UNLIMITED",
            "users=root",
            "flags=maint,ignore_jobs",
            "nodes=" + host_list(wanted)};
  }
  if (*current == wanted) return {};
  return {scontrol_program, "update", reservation_field(), "nodes=" + host_list(wanted)};
}

void carry_out(AdmissionPlan& plan, const AdmissionView& view, const health::Policy& policy,
               const std::string& program, const std::function<void(const std::string&)>& say) {
  for (const std::string& line : plan.said) say(line);
  for (const std::string& job : plan.cancelled)
    run_checked({"/usr/bin/scancel", job}, in_thirty_seconds);
  const auto command = reservation_command(view.reserved, plan.reserved);
  if (!command.empty()) run_checked(command, in_thirty_seconds);
  resume_drained(plan.resumed, view.nodes);
  if (plan.checks.empty()) return;
  let_go_of_busy_partners(plan);
  for (const NodeCheck& check : plan.checks) {
    const CheckJob job = check_job(check, policy, program);
    ProcessOptions options = in_thirty_seconds;
    options.input = job.script;
    const std::string id(trim(run_checked(job.argv, options)));
    plan.memory.checks[id.substr(0, id.find(';'))] = check;
  }
}

void end_admission(const std::filesystem::path& state) {
  try {
    const std::filesystem::path saved = state / "resv_state";
    if (!std::filesystem::exists(saved) ||
        read_file(saved).find(health::deep_reservation) == std::string::npos) {
      return;
    }
    if (reserved_nodes())
      run_process({scontrol_program, "delete", reservation_field()}, in_thirty_seconds);
  } catch (const Error& error) {
    fmt::print(stderr, "slipway node: the reservation for deep checks stays: {}\n", error.what());
  }
}

}  // namespace slipway::node
