// The ledger of a training job: what happened to it, over all attempts and requeues of one job.
//
// A file of JSON lines, each whole by itself: docs/schemas/ledger-1.schema.json. Lines are appended
// and never changed. A line that was torn by the end of its writer or of the machine is the last
// one, and is left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/fd.h"

namespace slipway::job {

enum class Event {
  job,       // the launcher began, again after a requeue
  start,     // an attempt begins on `nodes`
  progress,  // the program has reached `step`; the first of an attempt is where it resumed
  failure,   // the attempt has failed: `what`, `blame`, `node`, `evidence`
  energy,    // the GPUs of the attempt took `joules`, without those of nodes that are `missing`
  end,       // the launcher ends: `result`, `status`
};

// What does not belong to the event is empty or 0.
struct Entry {
  Event event = Event::job;
  int64_t time_ms = 0;  // since 1970, UTC
  std::string job;      // Slurm's job id
  int64_t attempt = 0;  // from 1 on, counted over requeues; 0 for job and end
  std::vector<std::string> nodes, spares;
  std::vector<std::string> command;
  int64_t step = 0;
  std::string what;   // "exit", "signal", "node gone", "no progress", "health", "words"
  std::string blame;  // "node", "application", "unknown"
  std::string node;   // the one that is blamed
  std::vector<std::string> evidence;
  double joules = 0;
  std::vector<std::string> missing;
  std::string result;  // "done", "failed", "requeued", "cancelled"
  int64_t status = 0;  // the program's
};

// One line, with its line feed.
std::string to_line(const Entry& entry);

struct Ledger {
  std::vector<Entry> entries;
  bool torn = false;  // the last line was not whole
};

// The name of a job's ledger in the folder from which it was submitted:
// "slipway-ledger-123.jsonl".
std::string ledger_name(const std::string& job);

// Reads a ledger's text. `path` is for messages. Throws Error with path and line when any
// line but a torn last one is invalid, goes back in time, or belongs to another job.
Ledger parse_ledger(std::string_view text, const std::filesystem::path& path);

// "2026-11-21T12:00:00.250Z"
std::string time_text(int64_t time_ms);

// The disk, or what the user may have of it, is full.
class NoRoom : public Error {
 public:
  using Error::Error;
};

// Appends to a ledger, which is made when it is not there; a torn last line is cut off first.
class LedgerWriter {
 public:
  // Throws NoRoom when the file cannot be made on a full disk; Error when it cannot be opened,
  // another writer has it, or it is not a ledger. `take_over`: another writer that still has it is
  // ignored, because it writes no more.
  explicit LedgerWriter(const std::filesystem::path& path, bool take_over = false);

  // The line is on the disk when it returns. One that is earlier than the line before gets that
  // line's time: a clock may be set back. Throws Error with the path; the ledger then is as it was.
  void append(Entry entry);

 private:
  std::filesystem::path path_;
  int64_t last_ms_ = 0;
  Fd fd_;
};

}  // namespace slipway::job
