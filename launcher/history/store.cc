// The history of bandwidth tests: a SQLite database of the runs that were recorded.
#include "launcher/history/store.h"

#include <unistd.h>

#include <fmt/core.h>

#include "common/environment.h"
#include "common/error.h"
#include "common/file.h"
#include "launcher/history/sqlite_statement.h"

namespace slipway::history {
namespace {

// In SQLite's application_id and user_version: whose file it is, and of which version.
constexpr int64_t application = 0x736c6970;  // "slip"
constexpr int64_t layout = 1;
// Another program may write, or a file server may be slow.
constexpr int patience_ms = 20'000;

constexpr const char* tables =
    "CREATE TABLE run (id TEXT PRIMARY KEY, started TEXT NOT NULL, cluster TEXT NOT NULL, "
    "collective TEXT NOT NULL, nodes INTEGER NOT NULL, ranks INTEGER NOT NULL, conditions TEXT NOT "
    "NULL) WITHOUT ROWID;"
    "CREATE TABLE version (run TEXT NOT NULL REFERENCES run, name TEXT NOT NULL, version TEXT NOT "
    "NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE figure (run TEXT NOT NULL REFERENCES run, place INTEGER NOT NULL, size_bytes "
    "INTEGER NOT NULL, what TEXT NOT NULL, busbw_gb_per_s REAL NOT NULL, PRIMARY KEY (run, place)) "
    "WITHOUT ROWID;";

void execute(sqlite3* database, const std::filesystem::path& file, const std::string& text) {
  const int code = sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw_database_error(database, code, file);
}

int64_t pragma(sqlite3* database, const std::filesystem::path& file, const char* name) {
  Statement asked(database, file, fmt::format("PRAGMA {}", name).c_str());
  return asked.step() ? asked.number(0) : 0;
}

// Ends without commit() in a rollback.
class Transaction {
 public:
  Transaction(sqlite3* database, const std::filesystem::path& file, const char* kind)
      : database_(database), file_(file) {
    execute(database_, file_, fmt::format("BEGIN {}", kind));
  }
  ~Transaction() {
    if (open_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    execute(database_, file_, "COMMIT");
    open_ = false;
  }

 private:
  sqlite3* database_;
  const std::filesystem::path& file_;
  bool open_ = true;
};

// Makes the tables in an empty file; refuses a file that is something else.
void prepare(sqlite3* database, const std::filesystem::path& file, bool may_write) {
  if (may_write) {
    Transaction making(database, file, "IMMEDIATE");
    if (pragma(database, file, "schema_version") == 0) {
      execute(database, file,
              fmt::format("{} PRAGMA application_id = {}; PRAGMA user_version = {};", tables,
                          application, layout));
    }
    making.commit();
  }
  if (pragma(database, file, "application_id") != application)
    throw_database_error(database, SQLITE_NOTADB, file);
  if (const int64_t found = pragma(database, file, "user_version"); found != layout) {
    throw Error(fmt::format("{} has version {} of its tables, this Slipway knows version {}",
                            file.string(), found, layout));
  }
}

}  // namespace

std::filesystem::path default_database() {
  constexpr const char* name = "slipway/bandwidth.db";
  if (::geteuid() == 0) return std::filesystem::path("/var/lib") / name;
  const std::string state = environment_variable("XDG_STATE_HOME"),
                    home = environment_variable("HOME");
  if (state.starts_with('/')) return std::filesystem::path(state) / name;
  if (home.starts_with('/')) return std::filesystem::path(home) / ".local/state" / name;
  throw Error("cannot locate the history: HOME is not set; name a file with --database");
}

void Store::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

Store::Store(std::filesystem::path file, Mode mode) : file_(std::move(file)) {
  const bool may_write = mode == Mode::write;
  if (!may_write && !std::filesystem::exists(file_)) {
    throw Error(
        fmt::format("there is no history at {}: record reports with `slipway bandwidth record`",
                    file_.string()));
  }
  if (may_write && file_.has_parent_path()) make_directories(file_.parent_path());
  sqlite3* opened = nullptr;
  const int how = may_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(file_.c_str(), &opened, how, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) throw_database_error(opened, code, file_);
  sqlite3_busy_timeout(opened, patience_ms);
  prepare(opened, file_, may_write);
}

int Store::add(const std::vector<RunRecord>& runs) {
  Transaction adding(database_.get(), file_, "IMMEDIATE");
  Statement run(database_.get(), file_, "INSERT OR IGNORE INTO run VALUES (?, ?, ?, ?, ?, ?, ?)");
  Statement version(database_.get(), file_, "INSERT INTO version VALUES (?, ?, ?)");
  Statement figure(database_.get(), file_, "INSERT INTO figure VALUES (?, ?, ?, ?, ?)");
  int added = 0;
  for (const RunRecord& one : runs) {
    run.bind(1, one.id).bind(2, one.started).bind(3, one.cluster).bind(4, one.collective);
    run.bind(5, one.nodes).bind(6, one.ranks).bind(7, one.conditions).run();
    if (sqlite3_changes(database_.get()) == 0) continue;
    ++added;
    for (const auto& [name, text] : one.versions)
      version.bind(1, one.id).bind(2, name).bind(3, text).run();
    int64_t place = 0;
    for (const Figure& each : one.figures) {
      figure.bind(1, one.id).bind(2, place++).bind(3, each.size_bytes).bind(4, each.what);
      figure.bind(5, each.busbw_gb_per_s).run();
    }
  }
  adding.commit();
  return added;
}

std::vector<RunRecord> Store::runs(const Selection& selection) const {
  const Transaction reading(database_.get(), file_, "DEFERRED");
  Statement asked(database_.get(), file_,
                  "SELECT id, started, cluster, collective, nodes, ranks, conditions FROM run "
                  "WHERE (?1 = '' OR cluster = ?1) AND (?2 = '' OR collective = ?2) AND (?3 = 0 OR "
                  "nodes = ?3) ORDER BY started, id");
  asked.bind(1, selection.cluster).bind(2, selection.collective).bind(3, selection.nodes);
  Statement versions(database_.get(), file_, "SELECT name, version FROM version WHERE run = ?");
  Statement figures(database_.get(), file_,
                    "SELECT size_bytes, what, busbw_gb_per_s FROM figure WHERE run = ? ORDER BY "
                    "place");
  std::vector<RunRecord> found;
  while (asked.step()) {
    RunRecord run{.id = asked.text(0),
                  .started = asked.text(1),
                  .cluster = asked.text(2),
                  .collective = asked.text(3),
                  .nodes = asked.number(4),
                  .ranks = asked.number(5),
                  .conditions = asked.text(6),
                  .versions = {},
                  .figures = {}};
    versions.bind(1, run.id);
    while (versions.step()) run.versions[versions.text(0)] = versions.text(1);
    figures.bind(1, run.id);
    while (figures.step())
      run.figures.push_back({figures.number(0), figures.text(1), figures.real(2)});
    found.push_back(std::move(run));
  }
  return found;
}

}  // namespace slipway::history
