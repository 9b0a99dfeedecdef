// Watches a node's ranks for the launcher.
#include "launcher/job/rank_watch.h"

#include <algorithm>

#include "common/environment.h"
#include "launcher/job/node_clocks.h"

namespace slipway::job {
namespace {

// A driver takes longer than a scan of /proc, so it is asked less often.
constexpr size_t looks_for_a_load = 5;

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
  Watched watched = {attempt_, 0, tasks.samples(), tasks.collectives()};
  const std::vector<int64_t> loads =
      load_of_tasks(load_.take(), environment_variable("SLURM_JOB_GPUS"), tasks_);
  for (RankSample& sample : watched.samples) {
    const auto local = static_cast<size_t>(sample.rank - first_rank_);
    if (local < loads.size()) sample.gpu_percent = std::min<int64_t>(loads[local], 100);
  }
  watched.sent_microseconds = microseconds_since_1970();
  return watched;
}

}  // namespace slipway::job
