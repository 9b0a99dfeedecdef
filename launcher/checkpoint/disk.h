// Steps on disk: keepers write them while the program goes on, and a later job starts from them.
//
//   step-120/manifest.json    what is complete: the digest of each rank's part
//   step-120/rank-3/...       what rank 3 wrote
//   step-120/rank-3.manifest  its files, with their sizes and digests: an encoded Manifest
//   .step-120-JOB.ATTEMPT/    a step that is being written
//
// Each node writes the parts of its own ranks; then one of them publishes the step, by a rename.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launcher/checkpoint/messages.h"
#include "launcher/checkpoint/step_files.h"

namespace slipway::checkpoint {

// Writes the part of a rank. Throws Error: also when it is cancelled, or a file has changed.
void write_part(const DiskStep& step, int64_t rank, const std::filesystem::path& from,
                const Manifest& manifest, const Cancelled& cancelled);

// Makes a step of the parts, which have these digests. Then removes all but the two newest steps,
// and what this job left incomplete. Throws Error.
void publish(const DiskStep& step, const std::vector<std::string>& digests);

struct FoundStep {
  int64_t step = -1;                 // -1: none
  std::vector<std::string> digests;  // of the ranks
  std::string job;                   // that wrote it
  std::string trouble;               // with newer steps, or with the folder
};
// The newest step before `below` in a folder; none if there is no such folder.
FoundStep newest_on_disk(const std::filesystem::path& folder, int64_t below);

// Copies the part of a rank to a new folder. `admit` hears its size before anything is written, and
// may throw. Throws Error, and MemoryFull; the new folder then has to be removed.
Manifest read_part(const std::filesystem::path& folder, int64_t step, int64_t rank,
                   const std::string& digest, const std::filesystem::path& to,
                   const std::function<void(int64_t size_bytes)>& admit,
                   const Cancelled& cancelled);

}  // namespace slipway::checkpoint
