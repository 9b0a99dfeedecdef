// `slipway job prepare` and `slipway run`: what nccl_env does, where no administrator installed it.
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/child.h"
#include "common/command_line.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/installation.h"
#include "common/pidfd.h"
#include "common/text.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/job_parts.h"
#include "launcher/commands/own_profile.h"
#include "launcher/commands/verb.h"
#include "spank-plugins/nccl_env/decide.h"
#include "spank-plugins/nccl_env/inspector.h"
#include "spank-plugins/nccl_env/job.h"
#include "spank-plugins/nccl_env/table.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* mode_variable = "SLIPWAY_RUN_NCCL_ENV";
constexpr const char* watch_variable = "SLIPWAY_RUN_NCCL_WATCH";
constexpr const char* prolog_of_user = "SLIPWAY_RUN_TASK_PROLOG";

nccl_env::Environment own_environment() {
  nccl_env::Environment all;
  for (char** each = ::environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const size_t equals = text.find('=');
    if (equals != text.npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return all;
}

// The administrator's profile, or what the machine says about itself.
NodeProfile profile_of_this_node() {
  const fs::path installed(node_profile_path);
  std::error_code ignored;
  if (fs::exists(installed, ignored)) return load_node_profile(installed);
  return describe_own_node();
}

// As Slurm reads it from a task prolog, or as a shell does.
std::string assignment(const std::string& name, const std::optional<std::string>& value,
                       bool for_slurm) {
  if (!value) return fmt::format("unset {}\n", name);
  if (value->find('\n') != value->npos) return "";  // neither can have one
  return fmt::format("export {}={}\n", name, for_slurm ? *value : shell_quote(*value));
}

std::string assignments(const nccl_env::Resolution& resolution, bool for_slurm) {
  std::string text;
  for (const nccl_env::Decision& decision : resolution.decisions) {
    if (decision.action == nccl_env::Action::set) {
      text += assignment(decision.name, decision.value, for_slurm);
    } else if (decision.action == nccl_env::Action::unset) {
      text += assignment(decision.name, std::nullopt, for_slurm);
    }
  }
  return text + assignment(nccl_env::marker_name, resolution.marker, for_slurm);
}

// Talk on stderr. Slurm closes that of a task prolog, and prints what its output asks for.
void say(std::string_view text, bool for_slurm) {
  if (!for_slurm) {
    fmt::print(stderr, "{}", text);
    return;
  }
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) fmt::print("print {}\n", line);
  }
}

bool is_first_task(const nccl_env::Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() || found->second == "0";
}

// Prints what is wrong as the plugin does: on the first task of a node, or of the step if all nodes
// have it. True if the task must not start.
bool tell(const std::vector<nccl_env::Finding>& findings, const nccl_env::Environment& environment,
          bool may_fail, bool for_slurm) {
  bool fails = false;
  for (const nccl_env::Finding& finding : findings) {
    const bool fatal = finding.fatal && may_fail;
    const bool first = is_first_task(environment, "SLURM_LOCALID") &&
                       (!finding.everywhere || is_first_task(environment, "SLURM_NODEID"));
    if (first && !(fatal && fails)) {
      say(fmt::format("slipway: {}: {}\n", fatal ? "this job cannot work" : "warning",
                      nccl_env::printable(finding.text)),
          for_slurm);
    }
    fails = fails || fatal;
  }
  return fails;
}

// What an earlier task prolog of the user says is part of what Slurm reads.
void run_users_prolog() {
  const std::string prolog = environment_variable(prolog_of_user);
  if (prolog.empty()) return;
  const pid_t child = fork_child(prolog);
  if (child == 0) {
    ::execl(prolog.c_str(), prolog.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  wait_for_child(child);
}

// Slurm reads what a task prolog printed when it has ended, and some releases ignore its status. So
// a process of our own waits until our parent, the task, has become the user's program, and ends
// it. Before that, the parent was root's, and its /proc/PID/exe cannot be read. If it ends by
// itself, its number may become another process's.
void end_task_at_its_start() {
  constexpr int most_polls = 5000;
  const pid_t task = ::getppid();
  const Fd task_itself = open_pidfd(task);
  if (fork_child("the end of the task") != 0) return;
  ::setsid();
  close_all_but({task_itself.get()});
  for (const int stream : {0, 1, 2}) ::close(stream);
  const std::string program = fmt::format("/proc/{}/exe", task);
  char path[16];
  for (int i = 0; i < most_polls && ::readlink(program.c_str(), path, sizeof path) < 0; ++i) {
    ::usleep(1000);
  }
  kill_process(task_itself);
  ::_exit(0);
}

int prepare_task(const nccl_env::Asked& asked, bool for_slurm) {
  const nccl_env::Mode mode = asked.mode;
  const nccl_env::Environment environment = own_environment();
  const bool gpus = nccl_env::has_gpus([&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
  if (!gpus || mode == nccl_env::Mode::off) return 0;
  const NodeProfile profile = profile_of_this_node();
  const auto nodes = to_number<uint32_t>(environment_variable("SLURM_STEP_NUM_NODES"));
  const nccl_env::Decided decided = nccl_env::decide(
      profile, {}, asked, environment, {nccl_env::has_several_nodes(environment, nodes), ""});
  if (is_first_task(environment, "SLURM_PROCID")) {
    if (mode == nccl_env::Mode::show) {
      say(nccl_env::table(profile, decided.resolution), for_slurm);
    } else if (mode == nccl_env::Mode::warn) {
      say(nccl_env::table_of_differences(profile, decided.resolution), for_slurm);
    }
  }
  if (mode != nccl_env::Mode::warn) {
    fmt::print("{}", assignments(decided.resolution, for_slurm));
  }
  const bool fails = tell(decided.findings, environment, mode != nccl_env::Mode::warn, for_slurm);
  std::fflush(stdout);
  return fails ? 1 : 0;
}

int job_prepare(Args args) {
  std::string mode = "on";
  bool for_slurm = false, watch = false;
  CommandLine line("slipway job prepare",
                   "Print the NCCL variables of this node's transport for a shell, and check it.");
  line.about(
      "It does what the plugin nccl_env does on clusters that have it: the node's transport, its "
      "variables with their origins, and the checks before tasks start. Your own values win. It "
      "needs no rights: without a node profile, the machine describes itself (`slipway node "
      "describe`). In a task without GPUs, it prints nothing.");
  line.option(nccl_env::option_name, nccl_env::option_values, nccl_env::option_help, &mode);
  line.flag(nccl_env::watch_option_name, nccl_env::watch_option_help, &watch);
  line.flag("task-prolog", "print for Slurm instead, whose task prolog this is", &for_slurm);
  line.example("eval \"$(slipway job prepare)\"", "in a script that starts one task on each node");
  line.example("slipway job prepare --nccl-env show", "see every variable, its origin, and why");
  line.exit_status("1", "the job cannot work");
  line.see_also("slipway-run(1)");
  if (!line.parse(args)) return 0;
  if (!for_slurm) return prepare_task({nccl_env::parse_mode(mode, "--nccl-env"), watch}, false);
  run_users_prolog();
  const std::string asked = environment_variable(mode_variable);
  const int status =
      prepare_task({nccl_env::parse_mode(asked.empty() ? "on" : asked, mode_variable),
                    !environment_variable(watch_variable).empty()},
                   true);
  if (status != 0) end_task_at_its_start();
  return status;
}

}  // namespace

int job(Args args) {
  return run_part(
      {"slipway job",
       "Show what a job script asks for, convert it, run the result, or prepare tasks.",
       "`prepare` is for clusters where nobody installed Slipway's plugins; `slipway run` does it "
       "for each task of srun.",
       {{"show", job_show},
        {"convert", job_convert},
        {"run", job_run},
        {"queues", job_queues},
        {"prepare", job_prepare}},
       {{"slipway job show train.sbatch", "nodes, containers, commands, with line numbers"},
        {"slipway job convert --blueprint a3-megagpu.yaml train.sbatch", "as a JobSet"},
        {"eval \"$(slipway job prepare)\"", "in a script that starts one task on each node"},
        {"slipway job prepare --nccl-env show", "see every variable, its origin, and why"}}},
      args);
}

int run(Args args) {
  std::string mode = "on";
  bool watch = false;
  std::vector<std::string> command;
  CommandLine line("slipway run",
                   "Start srun, and give its tasks the NCCL variables of their node's transport.");
  line.about(
      "For clusters where nobody installed the plugin nccl_env: the same variables, origins and "
      "checks, through srun's task prolog. Slipway has to be at the same place on all nodes, such "
      "as your home folder. A task prolog of yours (SLURM_TASK_PROLOG) runs as well.");
  line.option(nccl_env::option_name, nccl_env::option_values, nccl_env::option_help, &mode);
  line.flag(nccl_env::watch_option_name, nccl_env::watch_option_help, &watch);
  line.rest_after_dashes("srun [ARG...]", &command);
  line.example("slipway run -- srun --nodes=4 --gpus-per-node=8 ./train.sh", "in an sbatch script");
  line.example("slipway run --nccl-env show -- srun ./train.sh", "see every variable, and why");
  line.environment("SLURM_TASK_PROLOG", "your own task prolog");
  line.see_also("slipway-job-prepare(1)");
  line.see_also("slipway-launch(1)");
  if (!line.parse(args)) return 0;
  nccl_env::parse_mode(mode, "--nccl-env");
  if (fs::path(command.front()).filename() != "srun") {
    throw UsageError(fmt::format(
        "`slipway run` starts srun, not `{}`; before other programs: eval \"$(slipway job "
        "prepare)\"",
        command.front()));
  }
  if (std::ranges::any_of(command, [](const std::string& word) {
        return word == "--task-prolog" || word.starts_with("--task-prolog=");
      })) {
    throw UsageError("srun's --task-prolog would replace ours; name yours in SLURM_TASK_PROLOG");
  }
  const std::string own = environment_variable("SLURM_TASK_PROLOG");
  if (!own.empty()) ::setenv(prolog_of_user, own.c_str(), 1);
  const fs::path prolog = find_installation().prefix / "libexec/slipway/task-environment";
  ::setenv("SLURM_TASK_PROLOG", prolog.c_str(), 1);
  ::setenv(mode_variable, mode.c_str(), 1);
  if (watch) ::setenv(watch_variable, "1", 1);
  ::execvp(command.front().c_str(), pointers(command).data());
  throw Error(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));
}

}  // namespace slipway::commands
