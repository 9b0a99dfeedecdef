// Downloads remote modules: the only part of the compiler that uses the network. Git repositories
// are fetched with git, everything else with Terraform: docs/decisions/0006-fetching-modules.md.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "launcher/modules/module_cache.h"

namespace slipway::modules {

// Locks the cache while it is written, so that only one `slipway fetch` runs at a time, and removes
// what a killed one left in it.
class Fetcher {
 public:
  // Waits for a running fetch to end. Throws Error if the cache cannot be created.
  explicit Fetcher(ModuleCache cache);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  bool has(const ModuleSource& source) const;

  // Downloads the package of a remote source and atomically replaces the cached one. Throws Error
  // with the message of git or Terraform. Never asks for a password.
  void fetch(const ModuleSource& source,
             std::chrono::milliseconds deadline = std::chrono::minutes(5));

 private:
  ModuleCache cache_;
  int lock_ = -1;
};

}  // namespace slipway::modules
