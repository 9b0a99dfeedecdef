// Statements of SQLite with errors as exceptions. Included only where <sqlite3.h> is.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/error.h"

namespace slipway::history {

// Throws Error for a result code of `database`, which is `file`.
[[noreturn]] void throw_database_error(sqlite3* database, int code,
                                       const std::filesystem::path& file);

class Statement {
 public:
  Statement(sqlite3* database, const std::filesystem::path& file, const char* text);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Parameters are numbered from 1.
  Statement& bind(int place, const std::string& text);
  Statement& bind(int place, int64_t number);
  Statement& bind(int place, double number);

  // True if there is a row. After the last one, the statement can be bound again.
  bool step();
  void run();  // a statement without rows

  // Columns are numbered from 0.
  std::string text(int column) const;
  int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  void check(int code) const;
  sqlite3* database_;
  const std::filesystem::path& file_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace slipway::history
