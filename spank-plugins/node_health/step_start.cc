// Makes a job's first step wait for the prolog.
#include "spank-plugins/node_health/step_start.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#pragma GCC visibility pop

#include "spank-plugins/spank/job_script.h"

namespace slipway::node_health {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto first_pause = 5ms, longest_pause = 500ms;
// Longer than any prolog may take: PrologEpilogTimeout in launcher/cluster/slurm_conf.cc.
constexpr auto longest_wait = 5min;

// slurm_load_job() takes the job's number; in Slurm 26.05, a step id.
template <class Load>
int load_job(Load load, job_info_msg_t** answer, uint32_t job) {
  if constexpr (std::is_invocable_v<Load, job_info_msg_t**, uint32_t, uint16_t>) {
    return load(answer, job, SHOW_ALL);
  } else {
    slurm_step_id_t id = {};
    id.job_id = job;
    id.step_id = id.step_het_comp = NO_VAL;
    return load(answer, id, SHOW_ALL);
  }
}

bool prolog_runs(uint32_t job) {
  job_info_msg_t* answer = nullptr;
  if (load_job(slurm_load_job, &answer, job) != SLURM_SUCCESS) return false;
  const bool runs = std::any_of(
      answer->job_array, answer->job_array + answer->record_count, [](const slurm_job_info_t& one) {
        return (one.job_state & JOB_STATE_BASE) == JOB_RUNNING && one.state_reason == WAIT_PROLOG;
      });
  slurm_free_job_info_msg(answer);
  return runs;
}

}  // namespace

void wait_for_prolog(spank_t spank) {
  const auto job = spank::job_id(spank);
  if (!job || spank::step_id(spank) != 0U) return;
  const auto end = Clock::now() + longest_wait;
  for (auto pause = first_pause; prolog_runs(*job) && Clock::now() < end;
       pause = std::min<std::chrono::milliseconds>(2 * pause, longest_pause)) {
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace slipway::node_health
