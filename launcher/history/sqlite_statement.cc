// Statements of SQLite with errors as exceptions.
#include "launcher/history/sqlite_statement.h"

#include <fmt/core.h>

namespace slipway::history {

void throw_database_error(sqlite3* database, int code, const std::filesystem::path& file) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      throw Error(
          fmt::format("{} is damaged, or is not a database of `slipway bandwidth record`: move it "
                      "away, and record the reports again",
                      file.string()));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(fmt::format("{} is in use by another program", file.string()));
    default:
      throw Error(
          fmt::format("{}: {}", file.string(),
                      database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database)));
  }
}

Statement::Statement(sqlite3* database, const std::filesystem::path& file, const char* text)
    : database_(database), file_(file) {
  check(sqlite3_prepare_v2(database_, text, -1, &statement_, nullptr));
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) throw_database_error(database_, code, file_);
}

Statement& Statement::bind(int place, const std::string& text) {
  check(sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(int place, int64_t number) {
  check(sqlite3_bind_int64(statement_, place, number));
  return *this;
}

Statement& Statement::bind(int place, double number) {
  check(sqlite3_bind_double(statement_, place, number));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw_database_error(database_, code, file_);
  sqlite3_reset(statement_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::string Statement::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes == nullptr
             ? ""
             : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

}  // namespace slipway::history
