// The files of a step: reads what a program wrote, and writes what arrives from another node.
//
// A step's digest is that of its manifest, which has the digest of each file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/fd.h"
#include "launcher/checkpoint/digest.h"
#include "launcher/checkpoint/mapped_piece.h"
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

// A part of an open file.
struct FilePiece {
  int file = -1;
  int64_t offset = 0;
  size_t size_bytes = 0;
  const std::string* path = nullptr;  // for messages
};
// Throws Error if the file is too short by now.
void read_piece(const FilePiece& piece, std::string& into);

// Goes through the files of a step again, piece by piece, in the order of the manifest.
class StepReader {
 public:
  // `manifest` must outlive this.
  StepReader(const std::filesystem::path& folder, const Manifest& manifest);

  // Empty at the end. The file is open until the next call. Throws Error if a file is gone.
  std::optional<FilePiece> next();

 private:
  const Manifest& manifest_;
  Fd folder_, file_;
  size_t at_ = 0;
  int64_t offset_ = 0;
};

// Whether a file is on disk when it is closed.
enum class Durable { no, yes };

// Files of ours alone to write over instead of new ones, each at most as long as the new one. By
// the index of a file in its manifest.
using WrittenOver = std::map<size_t, std::filesystem::path>;

// Writes a step into a new folder, and checks each file when its last piece has arrived.
class StepWriter {
 public:
  // Throws Error if the manifest is invalid, or the folder exists. `manifest` must outlive this.
  StepWriter(std::filesystem::path folder, const Manifest& manifest, Durable durable = Durable::no,
             WrittenOver old = {});

  // The size of the next piece; 0: the step is complete.
  size_t next_bytes() const;
  // Throws MemoryFull, and Error if the piece is not the next one.
  void take(std::string_view piece);
  // The same without copying it: room() is where the next piece can be put before put_piece().
  char* room();
  void put_piece();
  bool complete() const { return at_ == manifest_.files.size(); }

 private:
  void open_next();
  bool open_old(const std::filesystem::path& path);
  void write(std::string_view piece);
  void finish_piece(size_t size_bytes);
  void finish_file();

  std::filesystem::path folder_;
  const Manifest& manifest_;
  Durable durable_;
  WrittenOver old_;
  Fd file_;
  int64_t old_bytes_ = 0;  // that the file had before, with their memory
  std::optional<MappedPiece> mapped_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  int64_t offset_ = 0;
  Digest digest_;
};

}  // namespace slipway::checkpoint
