// One reading of this node's GPUs, or of what may hang like their driver, in a child process:
// nothing waits for it, and a reading that takes longer than its limit is abandoned.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "launcher/health/family_process.h"

namespace slipway::job {

class DriverReading {
 public:
  // Called in the child. Empty: unsupported.
  using Read = std::function<std::optional<std::string>(const health::Doing&)>;

  DriverReading(const Read& read, std::chrono::milliseconds limit);

  // Whether there is nothing more to wait for. Never waits.
  bool over();
  // What was read; empty: unsupported, or the driver did not answer.
  const std::optional<std::string>& taken() const { return taken_; }
  // The child, which ends by itself; null: it has ended.
  const health::FamilyProcess* process() const { return process_.get(); }

 private:
  std::chrono::steady_clock::time_point end_;
  std::unique_ptr<health::FamilyProcess> process_;
  std::optional<std::string> taken_;
};

}  // namespace slipway::job
