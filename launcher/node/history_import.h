// Takes over the job history of another cluster into the accounting database of this controller.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace slipway::node {

struct HistoryImport {
  std::filesystem::path dump;  // history_dump.h
  std::string cluster;         // in the dump; empty: the only one
  bool replace = false;        // although this cluster has finished jobs of its own, which are lost
};

struct ImportedHistory {
  std::string cluster;  // in the dump
  uint64_t jobs = 0;
  uint64_t highest_job = 0;  // number of a job
};

// Stops slurmctld, slurmdbd and the database, and starts them again; jobs continue. If slurmdbd
// does not take the dump, everything is as before. Reports each step to `say`. Throws Error.
ImportedHistory import_history(const HistoryImport& wanted,
                               const std::function<void(const std::string& line)>& say);

}  // namespace slipway::node
