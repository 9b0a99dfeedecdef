// The ledger of a training job: what happened to it, over all its attempts and requeues.
//
// A file of JSON lines, each complete by itself: docs/schemas/ledger-1.schema.json. Lines are
// appended and never changed. If the writer or the machine died in the middle of a line, that torn
// line is the last one, and is ignored.
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
  job,       // the launcher started, for the first time or after a requeue
  start,     // an attempt starts on `nodes`
  progress,  // the program reached `step`; the first one of an attempt is where it resumed
  failure,   // the attempt failed: `what`, `blame`, `node`, `evidence`
  finding,   // seen while the attempt runs: `what`, `node`, `evidence`
  restore,   // what the attempt starts from: `what`, `step`, `evidence`
  grow,      // the attempt is ended at its checkpoint `step`: the next one has `nodes` more
  energy,    // the attempt's GPUs used `joules`, not counting the nodes in `missing`
  end,       // the launcher ended: `result`, `status`
};

// Fields that do not belong to the event are empty or 0.
struct Entry {
  Event event = Event::job;
  int64_t time_ms = 0;  // since 1970, UTC
  std::string job;      // Slurm's job id
  int64_t attempt = 0;  // from 1, counted across requeues; 0 for job and end
  std::vector<std::string> nodes, spares;
  std::vector<std::string> command;
  int64_t step = 0;
  std::string what;   // "exit", "signal", "node gone", "no progress", "health", "task report"; of
                      // failures and findings: "hang", "straggler", "slow link", "log rule"; of
                      // restores: "memory", "disk"
  std::string blame;  // "node", "application", "unknown"
  std::string node;   // the node that is blamed
  std::vector<std::string> evidence;
  double joules = 0;
  std::vector<std::string> missing;
  std::string result;  // "done", "failed", "requeued", "cancelled"
  int64_t status = 0;  // the program's
};

// One line, including its line feed.
std::string to_line(const Entry& entry);

struct Ledger {
  std::vector<Entry> entries;
  bool torn = false;  // the last line was incomplete
};

// The name of a job's ledger in the folder from which it was submitted:
// "slipway-ledger-123.jsonl".
std::string ledger_name(const std::string& job);

// Reads a ledger's text. `path` is for messages. Throws Error with path and line if any line but a
// torn last one is invalid, goes back in time, or belongs to another job.
Ledger parse_ledger(std::string_view text, const std::filesystem::path& path);

// "2026-11-21T12:00:00.250Z"
std::string time_text(int64_t time_ms);

// The disk, or the user's quota on it, is full.
class NoRoom : public Error {
 public:
  using Error::Error;
};

// Appends to a ledger. Creates the file if needed, and first cuts off a torn last line.
class LedgerWriter {
 public:
  // Throws NoRoom if the file cannot be created on a full disk; Error if it cannot be opened,
  // another writer holds it, or it is not a ledger. `take_over`: ignores another writer that holds
  // the file, because that writer no longer writes.
  explicit LedgerWriter(const std::filesystem::path& path, bool take_over = false);

  // When this returns, the line is on disk. A line that is earlier than its predecessor gets the
  // predecessor's time, as clocks may be set back. Throws Error with the path; the ledger is then
  // unchanged.
  void append(Entry entry);

 private:
  std::filesystem::path path_;
  int64_t last_ms_ = 0;
  Fd fd_;
};

}  // namespace slipway::job
