// Runs one health check of this node, from reading the machine to updating Slurm.
#include "launcher/health/check_node.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/host_name.h"
#include "common/text.h"
#include "launcher/health/deep.h"
#include "launcher/health/gpu_jobs.h"
#include "launcher/health/prolog_job.h"
#include "launcher/health/report_slots.h"
#include "launcher/health/runner.h"
#include "launcher/health/slurm.h"
#include "launcher/health/verdict.h"

namespace slipway::health {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Checks run one after another: two at once would count the same event twice. A check that has
// waited this long runs anyway, but saves nothing.
constexpr auto longest_wait_for_another = 1s;

// State kept between checks, if possible: a full disk does not keep a node from being checked.
class State {
 public:
  explicit State(std::filesystem::path folder) : folder_(std::move(folder)) {
    if (folder_.empty()) return;
    try {
      make_directories(folder_);
      lock_ = lock_within(folder_ / "lock", longest_wait_for_another);
      if (!lock_) trouble_ = "another check is still running";
    } catch (const Error& error) {
      trouble_ = error.what();
    }
    history = load_history(folder_);
  }

  // Runs `write` if this check may save anything.
  template <class Write>
  void keep(Write write) {
    if (!lock_) return;
    try {
      write(folder_);
    } catch (const Error& error) {
      trouble_ = error.what();
    }
  }

  const std::string& trouble() const { return trouble_; }
  History history;

 private:
  std::filesystem::path folder_;
  Fd lock_;
  std::string trouble_;
};

std::map<std::string, int64_t> grown_since(const Counters& start, const Counters& now) {
  std::map<std::string, int64_t> grown;
  for (const auto& [name, value] : now) {
    const auto before = start.find(name);
    if (before != start.end() && value > before->second && name != "kernel_log") {
      grown[name] = value - before->second;
    }
  }
  return grown;
}

void keep_about_job(State& state, const CheckOptions& options, const CheckResults& results,
                    Verdict& verdict) {
  if (options.job.empty()) return;
  state.keep([&](const std::filesystem::path& folder) {
    if (options.stage == Stage::prolog) keep_job(folder, options.job, results.counters);
    if (options.stage != Stage::epilog) return;
    verdict.grown = grown_since(job_start(folder, options.job), results.counters);
    forget_job(folder, options.job);
  });
}

// What the job's launcher and the exporters of metrics find on the node while the job runs.
void mind_job_files(const CheckOptions& options, CheckResults& results) {
  if (options.job_user) give_slot(reports_folder, *options.job_user);
  if (options.job.empty()) return;
  try {
    if (options.stage == Stage::prolog) {
      if (options.job_user) assign_slot(job_states_folder, options.job, *options.job_user, true);
      map_gpus(gpu_jobs_folder, options.job, options.job_gpus.value_or(std::set<unsigned>()));
    } else if (options.stage == Stage::epilog) {
      release_slot(job_states_folder, options.job);
      unmap_gpus(gpu_jobs_folder, options.job);
    }
  } catch (const Error& error) {
    results.skipped.push_back({"job_files", error.what()});
  }
}

std::chrono::milliseconds left_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return std::max(left, std::chrono::milliseconds(1));
}

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

// A node with an invalid profile is checked anyway, as far as possible. Returns what is wrong with
// the profile.
std::string load_profile(const CheckOptions& options, NodeProfile& profile) {
  const bool of_a_cluster = options.stage != Stage::manual;
  if (!of_a_cluster && !std::filesystem::exists(options.profile)) {
    if (options.described) {
      profile = *options.described;
      return "";
    }
    throw Error(
        fmt::format("{} not found: this machine is not a cluster node", options.profile.string()));
  }
  try {
    profile = load_node_profile(options.profile);
    return "";
  } catch (const Error& error) {
    profile.node = own_host_name();  // the node's name in Slurm
    return error.what();
  }
}

// Runs all checks of the stage within `limit` of `begin`.
CheckResults make_checks(const Context& context, const Machine& machine,
                         const std::string& wrong_profile, Clock::time_point begin,
                         std::chrono::milliseconds limit) {
  CheckResults results = run_families(families_for(context, machine), context, limit);
  if (!wrong_profile.empty()) {
    CheckRun run(context, results);
    run.begin("profile");
    run.find("profile-unreadable", "node", wrong_profile);
  }
  if (context.stage != Stage::deep) return results;
  for (const Family& family : deep_families(context, begin + limit - 1s)) {
    results.add(run_families({family}, context, left_until(begin + limit)));
  }
  return results;
}

FoundReports read_reports(State& state, const Context& context, CheckResults& results) {
  FoundReports reported;
  if (context.stage != Stage::epilog && context.stage != Stage::periodic) return reported;
  state.keep([&](const std::filesystem::path&) {
    CheckRun run(context, results);
    reported = find_reports(reports_folder);
    check_reports(reported.reports, run);
  });
  return reported;
}

// Updates Slurm, until `end`.
void tell_slurm(const CheckOptions& options, const Policy& policy, Clock::time_point end,
                State& state, CheckOutcome& result) {
  Verdict& verdict = result.verdict;
  if (!concerns_slurm(verdict, state.history)) return;
  const History before = state.history;
  RealSlurm slurm(end, options.stage == Stage::prolog ? options.job : "");
  Done done = act(verdict, policy, state.history, slurm);
  // At a boot, slurmctld may start later than slurmd, which registers when this check has ended.
  while (!done.slurm_answered && state.history.deep_checks_due &&
         options.stage == Stage::periodic && Clock::now() + 1s < end) {
    std::this_thread::sleep_for(500ms);
    done = act(verdict, policy, state.history, slurm);
  }
  result.job_may_start = done.job_may_start;
  if (options.stage == Stage::prolog && !result.job_may_start) {
    RealJobOfSlurm job(end);
    const std::string why = verdict.fit() ? std::string(waiting_reason) : reason_of(verdict);
    result.job_has_ended =
        !options.job.empty() && end_job_of_prolog(options.job, verdict.node, why, job);
    if (result.job_has_ended) verdict.slurm += ", and the job was ended";
    if (!result.job_has_ended) state.history.prolog_failed = verdict.time;
  }
  if (options.stage == Stage::epilog && !verdict.fit() && !result.job_may_start) {
    state.history.epilog_failed = verdict.time;
  }
  if (state.history.comment != before.comment ||
      state.history.deep_checks_due != before.deep_checks_due ||
      state.history.prolog_failed != before.prolog_failed ||
      state.history.epilog_failed != before.epilog_failed) {
    state.keep([&](const std::filesystem::path& folder) { save_history(folder, state.history); });
  }
}

}  // namespace

std::set<unsigned> parse_gpu_list(std::string_view text) {
  std::set<unsigned> gpus;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = part.find('-');
    const auto first = static_cast<unsigned>(std::atoi(part.c_str()));
    const auto last =
        dash == part.npos ? first : static_cast<unsigned>(std::atoi(part.c_str() + dash + 1));
    for (unsigned gpu = first; gpu <= last && gpu < first + 64; ++gpu) gpus.insert(gpu);
  }
  return gpus;
}

CheckOutcome check_node(const CheckOptions& options, Policy policy) {
  const auto begin = Clock::now();
  const Machine machine;
  Context context;
  context.stage = options.stage;
  const std::string wrong_profile = load_profile(options, context.profile);
  context.policy = std::move(policy);
  context.job_gpus = options.job_gpus;

  State state(options.state);
  if (state.history.begin_boot(machine.boot(), context.policy.deep_checks))
    state.keep(forget_all_jobs);
  context.before = state.history.counters;

  // The rest of the stage's time is for Slurm.
  const auto allowed =
      milliseconds_of(context.policy.deadlines.at(std::string(name_of(options.stage))));
  const auto for_checks = std::max(allowed - 3000ms, allowed / 2);
  CheckResults results = make_checks(context, machine, wrong_profile, begin, for_checks);
  if (!options.state.empty()) mind_job_files(options, results);
  const FoundReports reported = read_reports(state, context, results);

  CheckOutcome result;
  Verdict& verdict = result.verdict;
  verdict = judge(results, context, state.history, std::time(nullptr));
  keep_about_job(state, options, results, verdict);
  // Save before updating Slurm: a check that is killed in between loses nothing.
  state.keep([&](const std::filesystem::path& folder) {
    save_history(folder, state.history);
    empty_slots(reports_folder, reported);
  });
  result.job_may_start = verdict.fit();
  if (options.act) tell_slurm(options, context.policy, begin + allowed, state, result);
  if (!state.trouble().empty()) verdict.skipped.push_back({"history", state.trouble()});
  verdict.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  state.keep([&](const std::filesystem::path& folder) {
    write_file(folder / "last.json", to_json(verdict).dump(2) + "\n");
  });
  return result;
}

}  // namespace slipway::health
