// Requeues a job whose launcher died with its node.
#include "launcher/job/orphan.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "common/error.h"
#include "launcher/job/agent_connection.h"
#include "launcher/job/allocation.h"
#include "launcher/job/job_ledger.h"
#include "launcher/job/ledger.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds probe_limit = seconds(2);
constexpr milliseconds between_probes = seconds(1);
constexpr int probes = 2;                               // in a row without an answer
constexpr auto slurm_limit = std::chrono::minutes(10);  // for slurmctld to come back
constexpr auto ledger_limit = seconds(10);

// Whether the launcher's node can start a step: its kernel may answer when nothing else does.
bool serves(const Orphan& orphan, SlurmPrograms& slurm) {
  std::vector<std::string> words = {"timeout", "--kill-after=1", "6"};
  for (std::string& word : without_environment()) words.push_back(std::move(word));
  words.insert(words.end(), {"srun", "--quiet", "--jobid=" + orphan.run.job, "--overlap", "--mem=0",
                             "--mpi=none", "--input=none", "--nodes=1", "--ntasks=1",
                             "--nodelist=" + orphan.launcher, "true"});
  return slurm.run(words, "").ok();
}

// Whether the launcher's node is off, unreachable or frozen.
bool is_dead(const Orphan& orphan, SlurmPrograms& slurm) {
  for (int silent = 0; silent < probes; ++silent) {
    switch (probe_launcher(orphan.launcher, orphan.port, probe_limit)) {
      case Presence::answers:
        return false;
      case Presence::refused:  // by its kernel: a launcher that has all its agents stops listening
        return !serves(orphan, slurm);
      case Presence::silent:
        break;
    }
    slurm.pause(between_probes);
  }
  return true;
}

// Records the failure in the ledger. If the file system is gone, the job's comment and output
// still have it.
void note(const Orphan& orphan, const std::string& reason, const RequeueResult& outcome) {
  Entry failure;
  failure.event = Event::failure;
  failure.time_ms = now_ms();
  failure.job = job_label();
  failure.attempt = orphan.attempt;
  failure.what = "node gone";
  failure.blame = "node";
  failure.node = orphan.launcher;
  failure.evidence = {reason};
  Entry end;
  end.event = Event::end;
  end.time_ms = failure.time_ms;
  end.job = failure.job;
  end.result = outcome.what == RequeueOutcome::requeued ? "requeued" : "failed";
  end.status = 1;
  if (outcome.what == RequeueOutcome::ended) failure.evidence.push_back(outcome.text);
  for (const auto begin = Clock::now(); Clock::now() - begin < ledger_limit;) {
    try {
      LedgerWriter writer(orphan.ledger, true);
      if (orphan.attempt > 0) writer.append(failure);
      writer.append(end);
      return;
    } catch (const Error&) {
      std::this_thread::sleep_for(between_probes);
    }
  }
}

}  // namespace

milliseconds turn_of(int64_t index, int64_t nodes) {
  constexpr int64_t one_by_one = 6;
  constexpr milliseconds turn = seconds(2), rest = seconds(8);
  if (index <= one_by_one || nodes <= one_by_one) return turn * std::max<int64_t>(index - 1, 0);
  return turn * one_by_one + rest * (index - one_by_one) / (nodes - one_by_one);
}

void requeue_orphaned(const Orphan& orphan) {
  if (orphan.node == orphan.launcher || orphan.joins) return;
  ignore_end_of_step();
  std::this_thread::sleep_for(turn_of(orphan.index, orphan.nodes));
  RealSlurmPrograms slurm;
  for (const auto begin = Clock::now(); Clock::now() - begin < slurm_limit;) {
    try {
      // Ask Slurm first: if it answers, our own node is not cut off.
      if (!is_current(orphan.run, slurm)) return;
      if (!is_dead(orphan, slurm)) return;
      const std::string reason =
          fmt::format("node gone: {}: it ran the batch script and the launcher", orphan.launcher);
      const RequeueResult outcome = requeue_job(orphan.run, {orphan.launcher}, reason, slurm);
      if (outcome.what != RequeueOutcome::another) note(orphan, reason, outcome);
      if (outcome.what == RequeueOutcome::requeued) stay_until_free({orphan.launcher}, slurm);
      return;
    } catch (const Error&) {
      slurm.pause(between_probes);  // slurmctld may come back
    }
  }
}

}  // namespace slipway::job
