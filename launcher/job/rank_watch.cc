// Watches a node's ranks for the launcher.
#include "launcher/job/rank_watch.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/host_name.h"
#include "common/nccl_ras.h"
#include "common/text.h"
#include "launcher/job/node_clocks.h"
#include "launcher/job/own_gpus.h"

namespace slipway::job {
namespace {

// A driver takes longer than a scan of /proc, so it is asked less often.
constexpr size_t looks_for_a_load = 5;
constexpr auto ras_limit = std::chrono::seconds(5);  // longer than ask_ras() takes
constexpr char between_findings = '\n';              // which have no control characters

}  // namespace

void RankWatch::begin(const Start& order) {
  attempt_ = order.attempt;
  every_ = std::chrono::milliseconds(order.watch_ms);
  tasks_ = order.tasks.size();
  first_rank_ = order.tasks.empty() ? 0 : order.tasks.front().rank;
  looks_ = 0;
}

bool RankWatch::is_due() const {
  return every_.count() > 0 && Clock::now() - last_ >= every_;
}

Watched RankWatch::look(NodeTasks& tasks) {
  last_ = Clock::now();
  if (looks_++ % looks_for_a_load == 0) load_.begin();
  Watched watched = {attempt_, 0, tasks.samples(), tasks.collectives(), tasks.take_unread()};
  const std::vector<int64_t> loads = load_of_tasks(load_.take(), gpu_list_of_step(), tasks_);
  for (RankSample& sample : watched.samples) {
    const auto local = static_cast<size_t>(sample.rank - first_rank_);
    if (local < loads.size()) sample.gpu_percent = std::min<int64_t>(loads[local], 100);
  }
  watched.sent_microseconds = microseconds_since_1970();
  return watched;
}

void RankWatch::ask_ras(const AskRas& order, const NodeTasks& tasks) {
  if (order.attempt != attempt_ || ras_) return;  // or the answer is under way
  const auto read = [address =
                         tasks.ras_address()](const health::Doing&) -> std::optional<std::string> {
    if (!address) return std::nullopt;
    try {
      return join(ras_findings(slipway::ask_ras(*address)), std::string(1, between_findings));
    } catch (const ForeignRas& error) {
      return fmt::format("{} on {}", error.what(), own_host_name());
    } catch (const Error&) {
      return std::nullopt;  // most programs have no NCCL
    }
  };
  ras_.emplace(read, ras_limit);
}

std::optional<RasSaid> RankWatch::take_ras() {
  if (!ras_ || !ras_->over()) return std::nullopt;
  RasSaid said = {attempt_, ras_->taken().has_value(), {}};
  if (said.answered) said.findings = split(*ras_->taken(), between_findings);
  ras_.reset();
  return said;
}

std::vector<pollfd> RankWatch::descriptors() const {
  std::vector<pollfd> all = load_.descriptors();
  if (ras_ && ras_->process() != nullptr) all.push_back({ras_->process()->fd(), POLLIN, 0});
  return all;
}

std::vector<pid_t> RankWatch::processes() const {
  std::vector<pid_t> all = load_.processes();
  if (ras_ && ras_->process() != nullptr) all.push_back(ras_->process()->pid());
  return all;
}

}  // namespace slipway::job
