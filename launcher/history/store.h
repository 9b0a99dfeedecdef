// The history of bandwidth tests: a SQLite database of the runs that were recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "launcher/history/run_record.h"

struct sqlite3;

namespace slipway::history {

// slipway/bandwidth.db below $XDG_STATE_HOME or ~/.local/state; root's is in /var/lib/slipway.
std::filesystem::path default_database();

// Which runs to read; empty or 0: all.
struct Selection {
  std::string cluster = {}, collective = {};
  int64_t nodes = 0;
};

class Store {
 public:
  enum class Mode { read, write };

  // With Mode::write, the file and its folder are made if they are not there. Throws Error with the
  // path if there is no such file, or if it is damaged or something else.
  Store(std::filesystem::path file, Mode mode);

  // Adds the runs that are not there yet, all or none, also if others write at the same time.
  // Returns how many were new. Throws Error.
  int add(const std::vector<RunRecord>& runs);

  // In the order in which they were started. Throws Error.
  std::vector<RunRecord> runs(const Selection& selection) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace slipway::history
