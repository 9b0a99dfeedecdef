// Brings modules from elsewhere to this machine: the only part of the compiler that uses a network.
// Why git is run here and Terraform for the rest: docs/decisions/0006-fetching-modules.md.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "launcher/modules/module_cache.h"

namespace slipway::modules {

// Holds the cache while it is written: one `slipway fetch` at a time. Clears away what an earlier
// one has left behind when it was killed.
class Fetcher {
 public:
  // Waits for another fetch to end. Throws Error when the cache cannot be made.
  explicit Fetcher(ModuleCache cache);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  bool has(const ModuleSource& source) const;

  // Downloads the package of a remote source and puts it in the place of what the cache holds, at
  // once or not at all. Throws Error with what git or Terraform says. Never asks for a password.
  void fetch(const ModuleSource& source,
             std::chrono::milliseconds deadline = std::chrono::minutes(5));

 private:
  ModuleCache cache_;
  int lock_ = -1;
};

}  // namespace slipway::modules
