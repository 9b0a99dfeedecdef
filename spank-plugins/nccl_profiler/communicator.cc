// Follows the collectives of a communicator.
#include "spank-plugins/nccl_profiler/communicator.h"

#include <stdlib.h>

#include "spank-plugins/nccl_profiler/system.h"

namespace slipway::nccl_profiler {
namespace {

constexpr uint64_t coarser = 4;

int64_t not_negative(int64_t value) {
  return value < 0 ? 0 : value;
}

}  // namespace

bool Communicator::begin(const Identity& identity) {
  const Locked lock(mutex_);
  if (state_ != State::free) return false;
  if (running_ == nullptr) {
    running_ = static_cast<Running*>(::calloc(most_running, sizeof(Running)));
    for (Ended*& each : ended_) each = static_cast<Ended*>(::calloc(most_ended, sizeof(Ended)));
  }
  if (running_ == nullptr || ended_[0] == nullptr || ended_[1] == nullptr) return false;
  for (size_t i = 0; i < most_running; ++i) running_[i].serial = 0;
  identity_ = identity;
  oldest_serial_ = next_serial_;  // a late event of the one before finds nothing
  count_ = 0;
  seen_ = 0;
  stride_ = 1;
  state_ = State::used;
  return true;
}

void Communicator::finish() {
  const Locked lock(mutex_);
  if (state_ == State::used) state_ = State::finished;
}

void Communicator::release() {
  const Locked lock(mutex_);
  state_ = State::free;
  ::free(running_);
  running_ = nullptr;
  for (Ended*& each : ended_) {
    ::free(each);
    each = nullptr;
  }
}

void Communicator::identify(uint64_t id, int rank) {
  const Locked lock(mutex_);
  identity_.id = id;
  identity_.rank = rank;
}

uint64_t Communicator::start(const Collective& collective, uint8_t channels) {
  const Locked lock(mutex_);
  if (state_ != State::used) return 0;
  Running& place = running_[next_serial_ % most_running];
  // One that the host has launched: the events of its kernel were lost, or come very late.
  if (place.serial != 0 && place.host_end != 0) end(place);
  place = {};
  place.collective = collective;
  place.channels = channels;
  place.serial = next_serial_;
  return next_serial_++;
}

Communicator::Running* Communicator::find(uint64_t serial) {
  if (state_ == State::free || running_ == nullptr) return nullptr;
  Running& place = running_[serial % most_running];
  return place.serial == serial ? &place : nullptr;
}

void Communicator::stop(uint64_t serial) {
  const int64_t now = microseconds_now();
  const Locked lock(mutex_);
  Running* const running = find(serial);
  if (running == nullptr) return;
  running->host_end = now;
  if (running->channels == 0 && running->started == 0) end(*running);  // there is no kernel
}

void Communicator::start_kernel(uint64_t serial, uint64_t gpu_nanoseconds) {
  const int64_t now = microseconds_now();
  const Locked lock(mutex_);
  Running* const running = find(serial);
  if (running == nullptr) return;
  if (running->started++ == 0) running->kernel_begin = now;
  if (gpu_nanoseconds != 0 && (running->gpu_begin == 0 || gpu_nanoseconds < running->gpu_begin))
    running->gpu_begin = gpu_nanoseconds;
}

void Communicator::record_kernel(uint64_t serial, uint64_t gpu_nanoseconds) {
  const Locked lock(mutex_);
  Running* const running = find(serial);
  if (running != nullptr && gpu_nanoseconds > running->gpu_end) running->gpu_end = gpu_nanoseconds;
}

void Communicator::stop_kernel(uint64_t serial) {
  const int64_t now = microseconds_now();
  const Locked lock(mutex_);
  Running* const running = find(serial);
  if (running == nullptr) return;
  running->kernel_end = now;
  if (++running->stopped == running->channels) end(*running);
}

// Frees the place, and keeps the collective if its number is one of those that are written. These
// are the same on all ranks, whenever each of them begins to leave some out: each stride divides
// the next one.
void Communicator::end(Running& running) {
  running.serial = 0;
  if (++seen_ > enough * stride_) stride_ *= coarser;
  if (running.collective.sequence % stride_ != 0 || count_ == most_ended) return;
  Ended& ended = ended_[filling_][count_++];
  ended.collective = running.collective;
  ended.stride = stride_;
  if (running.gpu_begin != 0 && running.gpu_end >= running.gpu_begin) {
    ended.timing = Timing::kernel_gpu;
    ended.microseconds = static_cast<int64_t>((running.gpu_end - running.gpu_begin + 500) / 1000);
  } else if (running.kernel_end != 0) {
    ended.timing = Timing::kernel_cpu;
    ended.microseconds = not_negative(running.kernel_end - running.kernel_begin);
  } else {
    ended.timing = Timing::collective_cpu;
    ended.microseconds = not_negative(running.host_end - running.collective.entered);
  }
}

void Communicator::tell(Running* running, Taken& taken) {
  if (running == nullptr || running->told) return;
  running->told = true;
  taken.waiting[taken.waiting_count++] = running->collective;
}

void Communicator::settle(int64_t now, int64_t interval, Taken& taken) {
  Running *first = nullptr, *last = nullptr;
  if (next_serial_ - oldest_serial_ > most_running) oldest_serial_ = next_serial_ - most_running;
  for (uint64_t serial = oldest_serial_; serial < next_serial_; ++serial) {
    Running* const running = find(serial);
    if (running == nullptr) {
      if (serial == oldest_serial_) ++oldest_serial_;
      continue;
    }
    // Version 3 has a maximum of channels, of which NCCL may use fewer.
    const bool quiet =
        running->started > 0 && running->started == running->stopped && running->host_end != 0;
    if (quiet && (now - running->kernel_end >= interval || state_ == State::finished)) {
      end(*running);
    } else if (now - running->collective.entered >= interval) {
      if (first == nullptr) first = running;
      last = running;
    }
  }
  tell(first, taken);
  tell(last, taken);
}

void Communicator::adapt() {
  while (stride_ > 1 && seen_ <= enough * (stride_ / coarser)) stride_ /= coarser;
  seen_ = 0;
}

bool Communicator::take(int64_t now, int64_t interval, Taken& taken) {
  const Locked lock(mutex_);
  if (state_ == State::free) return false;
  taken.waiting_count = 0;
  settle(now, interval, taken);
  taken.identity = identity_;
  taken.ended = ended_[filling_];
  taken.count = count_;
  filling_ = 1 - filling_;
  count_ = 0;
  adapt();
  if (state_ == State::finished) state_ = State::free;
  return taken.count + taken.waiting_count > 0;
}

}  // namespace slipway::nccl_profiler
