// The files of a step: reads what a program wrote, and writes what arrives from another node.
//
// The digest of a file is that of the digests of its pieces, so that each piece can be checked as
// it arrives. A step's digest is that of its manifest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/fd.h"
#include "launcher/checkpoint/messages.h"

namespace slipway::checkpoint {

// The memory for checkpoints is used up.
class MemoryFull : public Error {
 public:
  using Error::Error;
};

// Asked between pieces: whether the result is no longer wanted.
using Cancelled = std::function<bool()>;

// Throws Error if the folder contains anything but files and folders, too many of them, or cannot
// be read, and when it is cancelled.
Manifest read_step(const std::filesystem::path& folder, const Cancelled& cancelled);

// Throws Error unless the paths rise, are relative, stay below the step's folder, and have their
// folders.
void check_manifest(const Manifest& manifest);

int64_t size_of(const Manifest& manifest);
std::string digest_of(const Manifest& manifest);

// Reads the files of a step again, piece by piece, in the order of the manifest.
class StepReader {
 public:
  // `manifest` must outlive this.
  StepReader(const std::filesystem::path& folder, const Manifest& manifest);

  // False at the end. Throws Error if a file is gone or too short.
  bool next(std::string& piece);

 private:
  const Manifest& manifest_;
  Fd folder_, file_;
  size_t at_ = 0;
  int64_t offset_ = 0;
};

// Writes a step into a new folder, and checks each file when its last piece has arrived.
class StepWriter {
 public:
  // Throws Error if the manifest is invalid, or the folder exists. `manifest` must outlive this.
  StepWriter(std::filesystem::path folder, const Manifest& manifest);

  // Throws MemoryFull, and Error if the piece is not the next one.
  void take(std::string_view piece);
  bool complete() const { return at_ == manifest_.files.size(); }

 private:
  void open_next();
  void finish_file();

  std::filesystem::path folder_;
  const Manifest& manifest_;
  Fd file_;
  size_t at_ = 0;
  int64_t offset_ = 0;
  std::string digests_;
};

}  // namespace slipway::checkpoint
