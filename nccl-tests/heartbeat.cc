// Every rank reports to rank 0, through a tree of ranks, that it is alive and what it is doing.
#include "nccl-tests/heartbeat.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>

#include <fmt/core.h>

#include "common/error.h"
#include "common/tcp.h"
#include "common/text.h"
#include "nccl-tests/heartbeat_thread.h"
#include "nccl-tests/rank_handshake.h"
#include "nccl-tests/run.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

constexpr double connect_seconds = 30;

// In this process, on any backend.
std::atomic<uint64_t> operations_started = 0;

// Set by SIGTERM; the pipe wakes the thread.
volatile std::sig_atomic_t told_to_end = 0;
std::atomic<int> wake_to_end = -1;

void note_end(int) {
  const int saved = errno;
  told_to_end = 1;
  (void)!::write(wake_to_end.load(), "t", 1);
  errno = saved;
}

int parent_of(int rank) {
  return (rank - 1) / heartbeat_fan_out;
}

}  // namespace

bool is_told_to_end() {
  return told_to_end != 0;
}

uint64_t started_operations() {
  return operations_started.load();
}

Heartbeat::Thread::Thread(Backend& backend, Settings settings)
    : settings_(std::move(settings)),
      rank_(backend.rank_of_all()),
      over_nccl_(backend.info().name == "nccl"),
      wake_(make_pipe()) {
  ::fcntl(wake_.read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(wake_.write.get(), F_SETFL, O_NONBLOCK);
  const double now = now_seconds();
  for (const RankInfo& rank : backend.all_ranks()) {
    statuses_.push_back({.host = rank.host, .moved = now, .heard = now});
  }
  const std::vector<std::string> places = backend.share(open_listener());
  for (const std::string& place : places) {
    ports_.push_back(to_number<int>(place.substr(0, place.find(' '))).value_or(0));
  }
  try {
    on_all_ranks(backend, [&] {
      if (rank_ != 0) {
        const std::string& first = places.front();
        const auto key = secret_from_hex(first.substr(std::min(first.find(' ') + 1, first.size())));
        if (!key || ports_.front() == 0) throw Error("rank 0 did not send its port and key");
        key_ = *key;
        connect();
      }
      watch_for_end();
      thread_ = std::thread([this] { run(); });
    });
    watches_all_ = true;
  } catch (...) {
    leave();
    throw;
  }
}

// Returns its port, on rank 0 with the key of the run.
std::string Heartbeat::Thread::open_listener() {
  const bool is_parent = rank_ * heartbeat_fan_out + 1 < ranks();
  if (!is_parent && rank_ != 0) return "0";
  PendingClients::Limits limits;
  limits.per_address = std::max(limits.per_address, statuses_.size());
  limits.in_total = std::max(limits.in_total, 2 * statuses_.size());
  clients_.emplace(listen_on({0}), this_rank(), "", limits);
  const int port = port_of(clients_->listener());
  if (rank_ != 0) return std::to_string(port);
  key_ = random_secret();
  return fmt::format("{} {}", port, to_hex(key_));
}

// To the parent or, if its name cannot be resolved or reached from here, to rank 0.
void Heartbeat::Thread::connect() {
  const double deadline = now_seconds() + connect_seconds;
  const int parent = parent_of(rank_);
  if (parent != 0) {
    try {
      return connect_to(parent, now_seconds() + connect_seconds / 2);
    } catch (const Error&) {
    }
  }
  connect_to(0, deadline);
}

void Heartbeat::Thread::connect_to(int rank, double deadline) {
  const bool same_host = host_of(rank) == host_of(rank_);
  parent_.reset();
  up_ = connect_to_rank(same_host ? "127.0.0.1" : host_of(rank),
                        ports_.at(static_cast<size_t>(rank)), key_, heartbeat_purpose, {rank_, 0},
                        deadline, fmt::format("rank {} on {}", rank, host_of(rank)));
  parent_.emplace(up_.get());
  parent_rank_ = rank;
  parent_heard_ = now_seconds();
}

void Heartbeat::Thread::leave() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  wake();
  thread_.join();
  ::sigaction(SIGTERM, &before_, nullptr);
  wake_to_end = -1;
  if (is_told_to_end()) std::raise(SIGTERM);
}

// mpirun and srun send SIGTERM to all ranks when one has died. Without this, rank 0 would often end
// before it has named the dead rank. A program that ignores SIGTERM keeps doing so.
void Heartbeat::Thread::watch_for_end() {
  ::sigaction(SIGTERM, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;
  wake_to_end = wake_.write.get();
  struct sigaction action = {};
  action.sa_handler = note_end;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
}

void Heartbeat::Thread::end_as_told() {
  std::fflush(nullptr);
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(SIGTERM, &by_default, nullptr);
  std::raise(SIGTERM);
  ::_exit(settings_.status);  // it was blocked
}

void Heartbeat::Thread::fail(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = text;
  }
  wake();
  // Rank 0 prints the message and ends all ranks. If rank 0 does not receive it, this rank prints
  // it and ends.
  std::this_thread::sleep_for(std::chrono::duration<double>(farewell_seconds));
  fmt::print(stderr, "{}: rank {}: {}\n", settings_.program, rank_, text);
  end_process();
}

void Heartbeat::Thread::end_process() {
  settings_.on_end();
  std::fflush(nullptr);
  ::_exit(settings_.status);
}

void count_operation() {
  // Only the measuring thread writes it, so no locked instruction is needed between operations.
  const uint64_t before = operations_started.load(std::memory_order_relaxed);
  operations_started.store(before + 1, std::memory_order_relaxed);
}

Heartbeat::Heartbeat(Backend& backend, Settings settings)
    : thread_(std::make_unique<Thread>(backend, std::move(settings))) {}

Heartbeat::~Heartbeat() = default;

void Heartbeat::leave() {
  thread_->leave();
}

void Heartbeat::phase(const std::string& text) {
  thread_->phase(text);
}

void Heartbeat::fail(const std::string& text) {
  thread_->fail(text);
}

}  // namespace slipway::bandwidth
