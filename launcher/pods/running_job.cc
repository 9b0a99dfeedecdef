// A job of a JobSet that runs.
#include "launcher/pods/running_job.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::pods {
namespace {

using State = JobStatus::State;

std::string told(const RunningPod& pod) {
  for (const Ended& one : pod.containers()) {
    if (one.code == 0) continue;
    return one.container.empty()
               ? fmt::format("it ended with {}", one.code)
               : fmt::format("container {} ended with {}", one.container, one.code);
  }
  return "it ended";
}

}  // namespace

RunningJob::RunningJob(const JobSet& set, const ReplicatedJob& job, std::vector<Pod> pods,
                       const local::DeploymentFolder& folder)
    : set_(set), job_(job), folder_(folder) {
  status_.job = &job;
  if (!pods.empty()) status_.replica = pods[0].replica;
  for (Pod& pod : pods) places_.push_back({std::move(pod), nullptr, false, {}});
}

void RunningJob::wait_for_start(bool alone) {
  status_.state = State::waiting;
  status_.is_ready = false;
  status_.reason.clear();
  failures_ = 0;
  has_run_ = alone;
  if (alone) ++job_restarts_;
  deadline_.reset();
  for (Place& place : places_) {
    place.succeeded = false;
    place.again.reset();
  }
}

void RunningJob::start(const std::string& mark, int64_t restarts) {
  status_.state = State::active;
  for (Place& place : places_) {
    place.pod.mark = mark;
    place.pod.restarts = restarts;
    place.pod.job_restarts = job_restarts_;
  }
  if (job_.deadline_seconds > 0) {
    deadline_ = Clock::now() + std::chrono::seconds(job_.deadline_seconds);
  }
  step();
}

void RunningJob::step() {
  for (Place& place : places_) {
    if (place.running && place.running->has_ended()) take_ended(place);
  }
  if (is_quiet()) killing_.reset();
  if (killing_ && Clock::now() >= *killing_) {
    killing_.reset();
    for (Place& place : places_) {
      if (place.running) place.running->kill();
    }
  }
  if (status_.state != State::active) return;
  const auto count = [&](auto&& is) { return std::ranges::count_if(places_, is); };
  const auto succeeded = count([](const Place& place) { return place.succeeded; });
  if (succeeded == std::ssize(places_)) {
    status_.state = State::succeeded;
    return;
  }
  int64_t restarts = 0;
  for (const Place& place : places_) {
    if (place.running) restarts += place.running->restarts();
  }
  if (restarts > 0 && has_restarted_too_often(job_, restarts)) {
    fmt::print(stderr, "slipway: containers of {}-{}-{} have started again {} times\n", set_.name,
               job_.name, status_.replica, restarts);
    return fail(too_many_failures);
  }
  if (deadline_ && Clock::now() >= *deadline_) {
    fmt::print(stderr, "slipway: the job has reached its deadline of {} s\n",
               job_.deadline_seconds);
    return fail(too_late);
  }
  start_pods();
  const auto ready =
      count([](const Place& place) { return place.running && place.running->is_ready(); });
  status_.is_ready =
      ready + succeeded >= std::min(job_.pods_at_once, static_cast<int64_t>(places_.size()));
}

void RunningJob::take_ended(Place& place) {
  const std::unique_ptr<RunningPod> pod = std::move(place.running);
  if (status_.state != State::active) return;  // we have ended it
  if (pod->has_succeeded()) {
    place.succeeded = true;
    return;
  }
  const PodFailure failure = judge(job_, pod->containers());
  if (failure == PodFailure::counted) ++failures_;
  const bool over = failure == PodFailure::fails_job || failures_ > job_.retries;
  const std::string reason = failure == PodFailure::fails_job ? failed_by_rule : too_many_failures;
  const int64_t pause = seconds_before_retry(std::max<int64_t>(1, failures_));
  fmt::print(stderr, "slipway: {} on {} has failed: {} ({})\n", place.pod.name, place.pod.node,
             told(*pod), over ? reason : fmt::format("another one starts in {} s", pause));
  if (over) return fail(reason);
  place.again = Clock::now() + std::chrono::seconds(pause);
}

// Pods with GPUs have their nodes to themselves, so that each waits for the one before it there.
bool RunningJob::may_run(size_t index) const {
  const bool alone = job_.gpus() > 0;
  int64_t running = 0;
  for (const Place& other : places_) {
    if (!other.running) continue;
    ++running;
    if (alone && other.pod.node == places_[index].pod.node) return false;
  }
  return running < job_.pods_at_once;
}

void RunningJob::start_pods() {
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.succeeded || place.running || !may_run(i)) continue;
    if (place.again && Clock::now() < *place.again) continue;
    place.again.reset();
    place.running = std::make_unique<RunningPod>(set_, job_, place.pod, folder_);
  }
}

void RunningJob::fail(const std::string& reason) {
  static int64_t failed = 0;
  if (status_.state != State::active) return;
  status_.state = State::failed;
  status_.is_ready = false;
  status_.reason = reason;
  status_.failed_at = ++failed;
  end();
}

void RunningJob::end() {
  if (status_.state == State::active) status_.state = State::waiting;
  status_.is_ready = false;
  if (is_quiet() || killing_) return;
  for (Place& place : places_) {
    if (place.running) place.running->end();
  }
  killing_ = Clock::now() + std::chrono::seconds(job_.grace_seconds);
}

bool RunningJob::is_quiet() const {
  return std::ranges::none_of(places_, [](const Place& place) { return bool(place.running); });
}

void RunningJob::add_to(std::vector<pollfd>& polled) const {
  for (const Place& place : places_) {
    if (place.running) place.running->add_to(polled);
  }
}

const pollfd* RunningJob::take(const pollfd* polled) {
  for (Place& place : places_) {
    if (!place.running) continue;
    place.running->take(polled);
    polled += RunningPod::entries;
  }
  return polled;
}

std::optional<RunningJob::Clock::time_point> RunningJob::next() const {
  std::optional<Clock::time_point> first = killing_;
  const auto take = [&](const std::optional<Clock::time_point>& one) {
    if (one && (!first || *one < *first)) first = one;
  };
  if (status_.state != State::active) return first;
  take(deadline_);
  for (const Place& place : places_) take(place.again);
  return first;
}

}  // namespace slipway::pods
