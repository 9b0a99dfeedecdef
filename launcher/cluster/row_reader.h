// Reads one mapping of a catalogue file, and reports missing, wrong and unknown keys.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::cluster {

// The whole number above 0 that the text is, in decimal digits without a leading 0; otherwise 0.
int64_t positive_number(std::string_view text);

// Returns the values of a mapping by key and reports problems (code E0902). After a problem the
// value is empty or 0, and ok() is false from then on.
class RowReader {
 public:
  // `what` is the row's name in messages: "machine type `a3-megagpu-8g`".
  RowReader(const source::Node& row, std::string what, source::Diagnostics& diagnostics);

  const source::Node* mapping(std::string_view key);   // nullptr, and reported, if missing
  const source::Node* sequence(std::string_view key);  // the same
  const source::Node* scalar(std::string_view key);    // the same
  std::string text(std::string_view key);
  int64_t count(std::string_view key);       // a whole number above 0
  long double amount(std::string_view key);  // a number above 0
  std::vector<std::string> texts(std::string_view key);
  std::string optional_text(std::string_view key);  // empty without the key
  int64_t optional_count(std::string_view key, int64_t otherwise = 0);
  std::vector<std::string> optional_texts(std::string_view key);

  // The text of `key`, which must be in `known`.
  std::string one_of(std::string_view key, const std::set<std::string>& known);

  // The keys of the mapping `key`.
  std::set<std::string> keys(std::string_view key);

  bool has(std::string_view key);

  // Reports the keys that were never read. True if nothing was wrong.
  bool finish();
  // The same for a row whose `source` must be one of these, or a list of them.
  bool finish(const std::set<std::string>& sources);

  void wrong(source::Span span, std::string message, std::string help = {});

 private:
  const source::Node* value(std::string_view key, source::Kind kind, std::string_view kind_name);
  long double number(std::string_view key, bool whole);

  const source::Node& row_;
  std::string what_;
  source::Diagnostics& diagnostics_;
  std::vector<std::string> asked_;
  bool ok_ = true;
};

}  // namespace slipway::cluster
