// Reads this node's GPUs once.
#include "launcher/job/driver_reading.h"

#include <poll.h>

#include "common/error.h"

namespace slipway::job {
namespace {

constexpr const char* fact_name = "reading";

}  // namespace

DriverReading::DriverReading(const Read& read, std::chrono::milliseconds limit)
    : end_(std::chrono::steady_clock::now() + limit) {
  health::Family family;
  family.name = "gpus";
  family.check = [read](health::CheckRun& run, const health::Doing& doing) {
    if (const auto taken = read(doing)) run.fact(fact_name, *taken);
  };
  try {
    process_ = std::make_unique<health::FamilyProcess>(std::move(family), health::Context{});
  } catch (const Error&) {
    // No process can be started, so there is no figure; the cause is reported elsewhere.
  }
}

bool DriverReading::over() {
  if (!process_) return true;
  pollfd readable = {process_->fd(), POLLIN, 0};
  while (!process_->ended() && ::poll(&readable, 1, 0) > 0) {
    process_->read();
    readable.fd = process_->fd();
  }
  if (!process_->ended() && std::chrono::steady_clock::now() < end_) return false;
  const health::CheckResults results = process_->results({});
  const auto fact = results.facts.find(fact_name);
  if (fact != results.facts.end()) taken_ = fact->second;
  process_.reset();
  return true;
}

}  // namespace slipway::job
