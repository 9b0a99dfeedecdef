// Reads and validates the values in a health policy. Reports a wrong value at its position.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/health/policy.h"
#include "launcher/source/yaml.h"

namespace slipway::health {

// The valid range of a number in the policy.
struct NumberRange {
  double least = 0, most = 0;
  bool whole = false;
  const char* why = "";  // a hint for numbers out of range
};

// The range of a key of `limits` or `deadlines`; empty for an unknown key.
std::optional<NumberRange> range_of_limit(std::string_view name);
std::optional<NumberRange> range_of_deadline(std::string_view stage);

class PolicyValues {
 public:
  // `is_first`: this is the catalog's file.
  PolicyValues(source::Diagnostics& diagnostics, bool is_first)
      : diagnostics_(diagnostics), is_first_(is_first) {}

  bool is_first() const { return is_first_; }

  void wrong(source::Span span, std::string message, std::string help = {});
  void unknown(source::Span span, std::string_view what, const std::string& typed,
               const std::vector<std::string>& known);

  bool is_mapping(const source::Node& node, std::string_view what);
  // Empty, with a diagnostic, if the value is not a number in the range.
  std::optional<double> number(const source::Node& node, std::string_view what,
                               const NumberRange& range);
  // The same, for whole numbers.
  std::optional<int> whole(const source::Node& node, std::string_view what, int least, int most);
  std::optional<Action> action(const source::Node& node);
  // Not empty.
  std::optional<std::string> text(const source::Node& node, std::string_view what);
  // A list of texts without duplicates.
  std::vector<std::string> texts(const source::Node& node, std::string_view what);
  // Process names, as in `ps -o comm`.
  std::vector<std::string> daemons(const source::Node& node);
  // Absolute paths as the kernel writes them: `/home` for `/home/`.
  std::vector<std::string> paths(const source::Node& node, std::string_view what);

 private:
  std::vector<std::string> list(const source::Node& node, std::string_view what,
                                std::string (*as_meant)(const std::string&));

  source::Diagnostics& diagnostics_;
  bool is_first_;
};

}  // namespace slipway::health
