// Messages of fields with their length, since a variable's value may be any bytes: "3:abc".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/environment.h"

namespace slipway::container {

class FieldWriter {
 public:
  void put(std::string_view field) {
    text_ += std::to_string(field.size()) + ':';
    text_ += field;
  }
  void put(long number) { put(std::to_string(number)); }
  void put(const std::vector<std::string>& fields) {
    put(static_cast<long>(fields.size()));
    for (const std::string& field : fields) put(field);
  }
  void put(const Environment& variables) {
    put(static_cast<long>(variables.size()));
    for (const auto& [name, value] : variables) {
      put(name);
      put(value);
    }
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

// Throws Error if the text has something else: its writer can be a user's process.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  std::string text() {
    const size_t colon = rest_.find(':');
    const auto size = to_number<size_t>(rest_.substr(0, colon));
    if (colon == std::string_view::npos || !size || *size > rest_.size() - colon - 1) {
      throw Error("the container's keeper sent an invalid message");
    }
    std::string field(rest_.substr(colon + 1, *size));
    rest_.remove_prefix(colon + 1 + *size);
    return field;
  }
  long number() { return to_number<long>(text()).value_or(0); }
  bool flag() { return number() != 0; }
  std::vector<std::string> texts() {
    std::vector<std::string> fields;
    for (long left = number(); left > 0; --left) fields.push_back(text());
    return fields;
  }
  Environment variables() {
    Environment all;
    for (long left = number(); left > 0; --left) {
      const std::string name = text();
      all[name] = text();
    }
    return all;
  }

 private:
  std::string_view rest_;
};

}  // namespace slipway::container
