// Nodes that join a job which has lost some, and restarts that give them a place.
#include <algorithm>
#include <chrono>
#include <string_view>

#include <fmt/core.h>
#include <unistd.h>

#include "common/count.h"
#include "common/host_list.h"
#include "launcher/job/launcher.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto longest_gathering = std::chrono::seconds(20);

// What the batch script sees of its job, and tasks on other nodes should see, too. Counts and lists
// of nodes are those of the attempt.
bool describes_the_job(std::string_view name) {
  if (name == "SLURM_JOB_GPUS") return false;  // the node has its own
  return name.starts_with("SLURM_JOB_") || name.starts_with("SLURM_ARRAY_") ||
         name.starts_with("SLURM_SUBMIT_") || name == "SLURM_JOBID" ||
         name == "SLURM_RESTART_COUNT";
}

}  // namespace

void Launcher::begin_growth() {
  if (!options_.grow) return;
  const auto between = to_milliseconds(options_.grow_seconds);
  growth_.emplace(
      Growth::Limits{between, std::min<std::chrono::milliseconds>(between, longest_gathering)});
  agents_.give_up_missing();
  AgentSettings settings = agent_settings();
  settings.orphan.joins = true;
  const std::filesystem::path folder = settings.orphan.ledger.parent_path();
  helpers_.emplace(HelperWish{allocation_.job, agent_variables(settings),
                              agent_command({}, options_.srun),
                              folder / fmt::format("slipway-grow-{}.out", allocation_.label)});
  if (allocation_.restarts > 0) helpers_->end(/*follows=*/true);
}

void Launcher::end_growth() {
  growth_.reset();
  if (helpers_) helpers_->end();
  helpers_.reset();
}

size_t Launcher::missing_nodes() const {
  std::set<std::string> here;
  const auto count = [&](const std::vector<std::string>& nodes) {
    for (const std::string& node : nodes)
      if (agents_.is_here(node) && std::ranges::find(bad_, node) == bad_.end()) here.insert(node);
  };
  count(choice_.nodes);
  count(choice_.spares);
  count(growth_->waiting());
  return allocation_.nodes.size() - std::min(here.size(), allocation_.nodes.size());
}

void Launcher::tend_growth() {
  if (!growth_ || cancelled_ != 0 || queueing_) return;
  std::set<std::string> joined;
  for (const std::string& node : others_)
    if (agents_.is_here(node)) joined.insert(node);
  helpers_->tend(missing_nodes(), joined, growth_->refused());
  for (const std::string& text : helpers_->news()) say(text);
}

// A spare needs no restart.
void Launcher::take_in(const std::string& node) {
  if (!growth_) return;
  others_.insert(node);
  std::erase(bad_, node);
  std::erase(choice_.spares, node);  // from before it was lost
  growth_->joined(node, Clock::now());
  const bool is_spare = choice_.nodes.size() >= wanted();
  if (is_spare)
    for (std::string& each : growth_->take(1)) choice_.spares.push_back(std::move(each));
  say(fmt::format("{} has joined the job{}", node, is_spare ? " as a spare" : ""));
}

std::optional<int64_t> Launcher::saved_step(const Attempt& attempt) const {
  std::optional<int64_t> step;
  if (attempt.saved() > 0) step = attempt.saved();
  if (const auto kept = board_ ? board_->step_for_any_world() : std::nullopt)
    step = std::max(step.value_or(-1), *kept);
  return step;
}

bool Launcher::grows_now(const Attempt& attempt) {
  if (!growth_) return false;
  const size_t missing = wanted() - std::min(wanted(), choice_.nodes.size());
  const bool is_due = growth_->is_due(missing, saved_step(attempt), Clock::now());
  if (growth_->awaits_checkpoint() && !std::exchange(has_told_wish_, true))
    say(fmt::format("the job grows by {} at its next checkpoint",
                    counted(std::min(missing, growth_->waiting().size()), "node")));
  return is_due;
}

void Launcher::grow(const Attempt& attempt) {
  const size_t before = choice_.nodes.size();
  const std::vector<std::string> nodes = growth_->take(wanted() - before);
  choice_.nodes.insert(choice_.nodes.end(), nodes.begin(), nodes.end());
  growth_->grew(Clock::now());
  has_told_wish_ = false;
  const int64_t step = saved_step(attempt).value_or(0);
  ledger_.grow(attempt.number(), nodes, step);
  say(fmt::format("attempt {}: ended at step {} to grow from {} to {} with {}", attempt.number(),
                  step, before, counted(choice_.nodes.size(), "node"), names_of_nodes(nodes)));
}

void Launcher::fill_places() {
  if (!growth_) return;
  const size_t before = ledger_.last_nodes();
  // A step in memory fits the same number of ranks only, unless they all wrote the same.
  const bool costs_work = board_ && choice_.nodes.size() == before && !board_->step_for_any_world();
  if (costs_work || choice_.nodes.size() >= wanted()) return;
  for (std::string& node : growth_->take(wanted() - choice_.nodes.size())) {
    say(fmt::format("{} takes a place", node));
    choice_.nodes.push_back(std::move(node));
  }
}

Variables Launcher::variables_of_joined(const std::string& node) const {
  Variables variables;
  if (!others_.contains(node)) return variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const size_t end = entry.find('=');
    if (end != entry.npos && describes_the_job(entry.substr(0, end)))
      variables.emplace(entry.substr(0, end), entry.substr(end + 1));
  }
  return variables;
}

}  // namespace slipway::job
