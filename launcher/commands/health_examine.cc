// `slipway health examine`: what a job in the reservation for deep checks does.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/command_line.h"
#include "common/count.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/host_list.h"
#include "common/installation.h"
#include "common/process.h"
#include "common/text.h"
#include "common/utc.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/root_program.h"
#include "launcher/health/history.h"
#include "launcher/health/verdict.h"
#include "launcher/node/admission.h"
#include "launcher/node/admission_slurm.h"

namespace slipway::commands {
namespace {

using NodeNames = std::set<std::string>;

constexpr std::chrono::minutes longest_scan{15};
// A large loss shows in medians that are known less well, which takes less time.
constexpr double precisions_in_a_loss = 5;
constexpr std::chrono::seconds longest_lock{60};
// On a node whose deep stage found nothing; a job's number follows. It is gone if the node restarts
// before its pairs have been checked.
constexpr const char* fit_mark = "/run/slipway-deep-checks.";

// One task on each of the nodes; a node that dies takes no other one along.
ProcessResult run_on(const NodeNames& nodes, const std::string& script,
                     std::chrono::milliseconds limit) {
  const std::vector<std::string> argv = {"srun",
                                         "--nodelist=" + host_list(nodes),
                                         fmt::format("--nodes={}", nodes.size()),
                                         fmt::format("--ntasks={}", nodes.size()),
                                         "--ntasks-per-node=1",
                                         "--mpi=none",
                                         "--kill-on-bad-exit=0",
                                         "--wait=0",
                                         "--export=ALL",
                                         "sh",
                                         "-c",
                                         script};
  ProcessOptions options;
  options.deadline = limit;
  const ProcessResult result = run_process(argv, options);
  fmt::print(stderr, "{}", result.errors);
  return result;
}

void drain(const std::string& node, const std::string& reason) {
  fmt::print("{}: drained: {}\n", node, reason);
  run_checked({"scontrol", "update", "nodename=" + node, "state=drain", "reason=" + reason});
}

bool is_drained(const std::string& node) {
  return run_checked({"sinfo", "--noheader", "--Node", "--nodes=" + node, "--format=%T"})
             .find("drain") != std::string::npos;
}

// The tasks print "slipway-deep NODE STATUS".
std::map<std::string, int> statuses(const std::string& output) {
  std::map<std::string, int> found;
  for (const std::string& line : split(output, '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() == 3 && words[0] == "slipway-deep")
      found[words[1]] = to_number<int>(words[2]).value_or(-1);
  }
  return found;
}

// Runs the deep stage on the nodes, and returns those that passed; the others are drained.
NodeNames check_each(const NodeNames& nodes, const std::string& program,
                     std::chrono::milliseconds limit) {
  const ProcessResult result =
      run_on(nodes,
             fmt::format("{} health --stage deep --act >&2\nstatus=$?\n"
                         "if [ $status -eq 0 ]; then : >{}$SLURM_JOB_ID; fi\n"
                         "echo slipway-deep $SLURMD_NODENAME $status",
                         program, fit_mark),
             limit + std::chrono::minutes(5));
  const std::map<std::string, int> found = statuses(result.output);
  NodeNames passed;
  for (const std::string& node : nodes) {
    const auto status = found.find(node);
    if (status != found.end() && status->second == 0) {
      passed.insert(node);
    } else if (is_drained(node)) {
      fmt::print("{}: did not pass\n", node);
    } else {
      const std::string why = status == found.end()     ? "did not end"
                              : status->second == unfit ? "found the node unfit"
                                                        : "could not run";
      drain(node, health::reason_of_deep_checks("deep checks " + why));
    }
  }
  return passed;
}

// The scan's results, from the task that has them; empty if it could not run.
std::string scan_of(const NodeNames& nodes, const std::string& program,
                    const health::DeepChecks& deep) {
  const std::string size =
      deep.scan_mib > 0 ? fmt::format(" --size {:.0f}M", deep.scan_mib) : std::string();
  const std::string script = fmt::format(
      "state={}/deep-scan.json; rm -f $state\n"
      "{} --detect {:g} --precision {:g}{} --state $state >&2\n"
      "if [ \"$SLURM_PROCID\" -eq 0 ] && [ -e $state ]; then cat $state; fi",
      health::state_folder, program, deep.detect_percent,
      deep.detect_percent / precisions_in_a_loss, size);
  return run_on(nodes, script, longest_scan).output;
}

// Scans pairs, drains the nodes that it names, and returns the checked nodes that remain.
NodeNames check_pairs(const NodeNames& checked, const NodeNames& partners,
                      const health::DeepChecks& deep) {
  NodeNames all = checked;
  all.insert(partners.begin(), partners.end());
  if (all.size() < 2) {
    fmt::print("no other node is free: pairs are not checked\n");
    return checked;
  }
  const std::string program = (find_installation().programs() / "bandwidth_scan").string();
  if (::access(program.c_str(), X_OK) != 0) {
    fmt::print("{} is missing: pairs are not checked\n", program);
    return checked;
  }
  const std::string scan = scan_of(all, program, deep);
  if (trim(scan).empty()) throw Error("the scan of pairs has no result");
  const node::PairVerdict verdict = node::judge_scan(scan, checked);
  if (!verdict.not_judged.empty()) fmt::print("pairs are not judged: {}\n", verdict.not_judged);
  NodeNames passed = checked;
  for (const auto& [name, evidence] : verdict.slow) {
    drain(name, health::reason_of_deep_checks("pairs: " + evidence));
    passed.erase(name);
  }
  return passed;
}

// On a node that passed: jobs may start there.
int mark_passed() {
  const std::string job = environment_variable("SLURM_JOB_ID");
  const std::string mark = fit_mark + job;
  if (job.empty() || !std::filesystem::exists(mark))
    throw Error("this node has restarted since its deep checks");
  const std::filesystem::path folder = health::state_folder;
  const Fd lock = lock_within(folder / "lock", longest_lock);
  if (!lock) throw Error("a check of this node is still running");
  health::History history = health::load_history(folder);
  history.deep_checks_due = false;
  save_history(folder, history);
  const nlohmann::json passed = {{"time", utc_text(std::time(nullptr))}, {"job", job}};
  write_file(folder / "deep-passed.json", passed.dump() + "\n");
  std::filesystem::remove(mark);
  return 0;
}

int examine(const NodeNames& checked) {
  // So that the service does not wait for a job that Slurm never starts.
  run_process({"scontrol", "update", "jobid=" + environment_variable("SLURM_JOB_ID"),
               fmt::format("comment={}", node::begun_comment)});
  const NodeNames job = node::names_of_host_list(environment_variable("SLURM_JOB_NODELIST"));
  NodeNames partners;
  for (const std::string& name : job) {
    if (!checked.contains(name)) partners.insert(name);
  }
  for (const std::string& name : checked) {
    if (!job.contains(name)) throw Error(fmt::format("{} is not a node of this job", name));
  }
  const health::Policy policy = read_policy("");
  const std::string program = (find_installation().programs() / "slipway").string();
  const auto limit = std::chrono::seconds(std::lround(policy.deadlines.at("deep")));
  NodeNames passed = check_each(checked, program, limit);
  if (!passed.empty()) passed = check_pairs(passed, partners, policy.deep_checks);
  if (!passed.empty() &&
      !run_on(passed, program + " health examine --passed", longest_lock * 2).ok()) {
    throw Error(fmt::format("not all of {} noted that they passed", host_list(passed)));
  }
  fmt::print("{} of {} passed: {}\n", passed.size(), counted(checked.size(), "node"),
             host_list(passed));
  return 0;
}

}  // namespace

int health_examine(Args args) {
  std::string nodes;
  bool has_passed = false;
  CommandLine line("slipway health examine",
                   "Check nodes of this job deeply, and drain the unfit.");
  line.about(
      "The jobs of `slipway health admit` run it as root: first the deep stage on each node in "
      "NODES, then a scan of pairs among those and the job's other nodes.");
  line.positional("NODES", &nodes, Arity::optional);
  line.flag("passed", "only note that this node has passed", &has_passed);
  line.example("slipway health examine 'n-[0-3]'", "in a job of root");
  line.example("slipway health examine --passed", "what the job does on a node that passed");
  line.see_also("slipway-health-admit(1)");
  if (!line.parse(args)) return 0;
  if (has_passed == !nodes.empty()) throw UsageError("either NODES or --passed is needed");
  require_root();
  if (has_passed) return mark_passed();
  if (environment_variable("SLURM_JOB_NODELIST").empty()) throw Error("this is not a job of Slurm");
  return examine(node::names_of_host_list(nodes));
}

}  // namespace slipway::commands
