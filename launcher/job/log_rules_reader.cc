// Reads a file of rules about a program's output.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "common/text.h"
#include "launcher/job/log_rules.h"
#include "launcher/source/yaml.h"

namespace slipway::job {
namespace {

constexpr const char* list_key = "logMonitoringConfiguration";
constexpr std::array<const char*, 6> operations = {"lt", "lteq", "gt", "gteq", "eq", "neq"};
constexpr double longest_expected = 1e7;  // seconds: four months

const std::vector<std::string> rule_keys = {"name",
                                            "logPattern",
                                            "expectedStartCutOffInSeconds",
                                            "expectedRecurringFrequencyInSeconds",
                                            "metricThreshold",
                                            "operator",
                                            "metricEvaluationDataPoints",
                                            "faultOnMatch"};

class RuleReader {
 public:
  explicit RuleReader(source::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  LogRule read(const source::Node& node) {
    LogRule rule;
    if (!node.is_mapping()) {
      wrong(node.span, "a rule must be a mapping");
      return rule;
    }
    for (const source::Entry& entry : node.entries) read_key(entry, rule);
    if (rule.name.empty() || !rule.pattern)
      wrong(node.span, "a rule needs `name` and `logPattern`", {}, source::Code::missing_key);
    if (rule.threshold.has_value() == rule.operation.empty())
      wrong(node.span, "`metricThreshold` and `operator` need each other");
    if (rule.threshold && rule.pattern && rule.pattern->NumberOfCapturingGroups() == 0)
      wrong(node.span, "`metricThreshold` needs a group in `logPattern`",
            "put parentheses around the number");
    if (!rule.fault_on_match && !rule.threshold && rule.start_seconds == 0 &&
        rule.recurring_seconds == 0)
      wrong(node.span, "this rule expects nothing",
            "it needs one of: " +
                join(std::vector<std::string>(rule_keys.begin() + 2, rule_keys.end()), ", "));
    return rule;
  }

 private:
  void wrong(source::Span span, std::string message, std::string help = {},
             source::Code code = source::Code::wrong_shape) {
    diagnostics_.error(code, span, std::move(message)).help(std::move(help));
  }

  double number(const source::Entry& entry, double least, double most) {
    double value = 0;
    const char* const end = entry.value.text.data() + entry.value.text.size();
    const auto [stop, error] = std::from_chars(entry.value.text.data(), end, value);
    if (!entry.value.is_scalar() || error != std::errc() || stop != end ||
        !(value >= least && value <= most)) {
      wrong(entry.value.span,
            fmt::format("`{}` must be a number from {:g} to {:g}", entry.key, least, most));
    }
    return value;
  }

  void read_key(const source::Entry& entry, LogRule& rule) {
    const std::string& text = entry.value.text;
    if (entry.key == "name") {
      rule.name = text;
    } else if (entry.key == "logPattern") {
      auto pattern = std::make_shared<re2::RE2>(text, re2::RE2::Quiet);
      if (pattern->ok()) {
        rule.pattern = std::move(pattern);
      } else {
        wrong(entry.value.span,
              fmt::format("not a regular expression (RE2): {}", pattern->error()));
      }
    } else if (entry.key == "expectedStartCutOffInSeconds") {
      rule.start_seconds = number(entry, 1, longest_expected);
    } else if (entry.key == "expectedRecurringFrequencyInSeconds") {
      rule.recurring_seconds = number(entry, 1, longest_expected);
    } else if (entry.key == "metricThreshold") {
      rule.threshold = number(entry, -1e300, 1e300);
    } else if (entry.key == "operator") {
      rule.operation = text;
      if (std::ranges::find(operations, text) == operations.end()) {
        wrong(entry.value.span, fmt::format("`{}` is not an operator", text),
              "lt, lteq, gt, gteq, eq or neq");
      }
    } else if (entry.key == "metricEvaluationDataPoints") {
      rule.points = static_cast<int>(number(entry, 1, 1e6));
    } else if (entry.key == "faultOnMatch") {
      rule.fault_on_match = text == "true";
      if (text != "true" && text != "false")
        wrong(entry.value.span, "`faultOnMatch` must be `true` or `false`");
    } else {
      const std::string guess = nearest(entry.key, rule_keys);
      wrong(entry.key_span, fmt::format("a rule has no key `{}`", entry.key),
            guess.empty() ? "known: " + join(rule_keys, ", ")
                          : fmt::format("did you mean `{}`?", guess),
            source::Code::unknown_key);
    }
  }

  source::Diagnostics& diagnostics_;
};

}  // namespace

std::vector<LogRule> read_log_rules(const std::filesystem::path& file, source::Sources& sources,
                                    source::Diagnostics& diagnostics) {
  std::vector<LogRule> rules;
  const source::Span text = sources.add_file(file);
  const auto root = read_yaml(text, sources, diagnostics);
  if (!root) return rules;
  const source::Node* list = root->is_mapping() ? root->find(list_key) : &*root;
  if (list == nullptr || !list->is_sequence() || list->items.empty()) {
    diagnostics.error(source::Code::wrong_shape, root->span,
                      fmt::format("expected a list of rules, or a mapping with `{}`", list_key));
    return rules;
  }
  RuleReader reader(diagnostics);
  for (const source::Node& item : list->items) rules.push_back(reader.read(item));
  return rules;
}

}  // namespace slipway::job
