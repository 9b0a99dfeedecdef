// Makes machines for the batches of an order.
#include "launcher/node/maker.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <set>

#include "common/text.h"
#include "launcher/node/batch_maker.h"
#include "launcher/node/delete_machines.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

// One entry for each reason, instead of one for each node.
std::vector<Failed> by_reason(const std::map<std::string, std::string>& reasons) {
  std::map<std::string, Names> groups;
  for (const auto& [name, reason] : reasons) groups[reason].push_back(name);
  std::vector<Failed> failed;
  for (auto& [reason, names] : groups) failed.push_back({std::move(names), reason});
  return failed;
}

std::string all_or_none(long job, const std::string& reason) {
  return fmt::format("job {} gets all of its nodes or none: {}", job, reason);
}

}  // namespace

struct Maker::State {
  State(Cloud& cloud, const ClusterFile& cluster, const Patience& patience)
      : context(cloud, cluster, patience) {}

  MakerContext context;
  std::deque<BatchMaker> makers;

  void work();
  void stop_others_of(const BatchMaker& failed);
  std::map<long, std::string> failed_jobs() const;
  Names undo(const BatchMaker& maker, const std::set<std::string>& wanted);
};

Maker::Maker(Cloud& cloud, const ClusterFile& cluster, const Patience& patience)
    : state_(std::make_unique<State>(cloud, cluster, patience)) {}
Maker::~Maker() = default;

void Maker::State::stop_others_of(const BatchMaker& failed) {
  const long job = failed.batch().job;
  if (job == 0) return;
  for (BatchMaker& maker : makers) {
    if (maker.batch().job == job) maker.stop(all_or_none(job, failed.failed().begin()->second));
  }
}

void Maker::State::work() {
  std::chrono::milliseconds pause = 250ms;
  for (;;) {
    bool is_done = true;
    for (BatchMaker& maker : makers) {
      maker.step();
      is_done = is_done && maker.has_ended();
      if (maker.has_ended() && !maker.failed().empty()) stop_others_of(maker);
    }
    if (is_done) return;
    context.patience().rest(pause);
    pause = std::min(pause * 3 / 2, std::chrono::milliseconds(3s));
  }
}

// The jobs that cannot have all of their nodes, and a reason.
std::map<long, std::string> Maker::State::failed_jobs() const {
  std::map<long, std::string> jobs;
  for (const BatchMaker& maker : makers) {
    if (maker.batch().job == 0 || maker.failed().empty()) continue;
    jobs.emplace(maker.batch().job, maker.failed().begin()->second);
  }
  return jobs;
}

// Deletes what was made for a job that cannot run, unless another job wants it. Returns the names.
Names Maker::State::undo(const BatchMaker& maker, const std::set<std::string>& wanted) {
  std::map<std::string, std::string> zones;
  Names names;
  const MachinesByName& machines = context.machines(maker.batch());
  for (const std::string& name : maker.made()) {
    const auto machine = machines.find(name);
    if (machine == machines.end() || wanted.contains(name)) continue;
    zones[name] = machine->second.zone;
    names.push_back(name);
  }
  Compute compute = context.compute(*maker.batch().nodeset);
  if (!names.empty()) {
    context.say(fmt::format("deleting {}: job {} cannot have all of its machines", join(names, ","),
                            maker.batch().job));
    for (const auto& [name, reason] : delete_machines(compute, zones)) {
      context.say(
          fmt::format("cannot delete {}, which is left to the reconciler: {}", name, reason));
    }
    context.forget_machines(maker.batch());
  }
  return names;
}

std::vector<Failed> Maker::make(const std::vector<Batch>& batches,
                                const std::vector<WaitingJob>& jobs) {
  for (const Batch& batch : batches) state_->makers.emplace_back(batch, state_->context);
  state_->work();
  const std::map<long, std::string> failed_jobs = state_->failed_jobs();
  std::set<std::string> wanted;  // by jobs that can run
  for (const WaitingJob& job : jobs) {
    if (!failed_jobs.contains(job.id)) wanted.insert(job.all.begin(), job.all.end());
  }
  std::map<std::string, std::string> failed;
  for (const BatchMaker& maker : state_->makers) {
    failed.insert(maker.failed().begin(), maker.failed().end());
    const auto job = failed_jobs.find(maker.batch().job);
    if (job == failed_jobs.end()) continue;
    try {
      for (const std::string& name : state_->undo(maker, wanted)) {
        failed.emplace(name, all_or_none(job->first, job->second));
      }
      state_->context.drop_policy(maker.batch());
    } catch (const Error& error) {
      state_->context.say(
          fmt::format("cannot delete what was made for job {}: {}", job->first, error.what()));
    }
  }
  return by_reason(failed);
}

std::map<std::string, std::string> Maker::physical_hosts(const Names& nodes) {
  std::map<std::string, std::string> hosts;
  for (const BatchMaker& maker : state_->makers) {
    for (const auto& [name, machine] : state_->context.machines(maker.batch())) {
      const bool is_ours = std::ranges::find(nodes, name) != nodes.end();
      if (is_ours && !machine.physical_host.empty()) hosts[name] = machine.physical_host;
    }
  }
  return hosts;
}

}  // namespace slipway::node
