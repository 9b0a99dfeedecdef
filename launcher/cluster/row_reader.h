// Reading one mapping of a catalogue file: what is there, what is missing, what is unknown.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::cluster {

// Hands out the values of a mapping by key and says what is wrong with them (code E0902). What
// cannot be had is empty or 0, and ok() is false from then on.
class RowReader {
 public:
  // `what` names the row in messages: "machine type `a3-megagpu-8g`".
  RowReader(const source::Node& row, std::string what, source::Diagnostics& diagnostics);

  const source::Node* mapping(std::string_view key);   // nullptr when missing, which is said
  const source::Node* sequence(std::string_view key);  // likewise
  const source::Node* scalar(std::string_view key);    // likewise
  std::string text(std::string_view key);
  int64_t count(std::string_view key);       // a whole number above 0
  long double amount(std::string_view key);  // a number above 0
  std::vector<std::string> texts(std::string_view key);

  // The text of `key`, which must be one of `known`.
  std::string one_of(std::string_view key, const std::set<std::string>& known);

  // The keys of the mapping `key`.
  std::set<std::string> keys(std::string_view key);

  bool has(std::string_view key);

  // Says which keys of the row nobody asked for. True when nothing was wrong.
  bool finish();

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
