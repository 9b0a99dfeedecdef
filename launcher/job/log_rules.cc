// Applies rules about a program's output.
#include "launcher/job/log_rules.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace slipway::job {
namespace {

bool is_beyond(double value, const std::string& operation, double threshold) {
  if (std::isnan(value)) return true;
  if (operation == "lt") return value < threshold;
  if (operation == "lteq") return value <= threshold;
  if (operation == "gt") return value > threshold;
  if (operation == "gteq") return value >= threshold;
  return (value == threshold) == (operation == "eq");
}

}  // namespace

void LogWatch::begin(double now) {
  began_ = now;
  states_.assign(rules_.size(), {});
  faults_.clear();
}

void LogWatch::breaks(size_t rule, const std::string& what, int64_t rank) {
  if (std::exchange(states_[rule].broken, true)) return;
  faults_.push_back({fmt::format("`{}`: {}", rules_[rule].name, what), rank});
}

void LogWatch::line(double now, int64_t rank, std::string_view text) {
  for (size_t i = 0; i < rules_.size(); ++i) {
    const LogRule& rule = rules_[i];
    State& state = states_[i];
    std::string group;
    const re2::StringPiece piece(text.data(), text.size());
    const bool matches = rule.pattern->NumberOfCapturingGroups() > 0
                             ? re2::RE2::PartialMatch(piece, *rule.pattern, &group)
                             : re2::RE2::PartialMatch(piece, *rule.pattern);
    if (!matches) continue;
    state.last = now;
    if (rule.fault_on_match) {
      breaks(i, fmt::format("rank {} wrote `{}`", rank, text.substr(0, 200)), rank);
    } else if (rule.threshold) {
      const double value = std::strtod(group.c_str(), nullptr);
      state.in_a_row = is_beyond(value, rule.operation, *rule.threshold) ? state.in_a_row + 1 : 0;
      if (state.in_a_row < rule.points) continue;
      breaks(i,
             fmt::format("the value of rank {} is {}, and {} {:g} is a fault", rank, group,
                         rule.operation, *rule.threshold),
             rank);
    }
  }
}

std::vector<LogFault> LogWatch::faults(double now) {
  for (size_t i = 0; i < rules_.size(); ++i) {
    const LogRule& rule = rules_[i];
    const double last = states_[i].last;
    if (last < 0 && rule.start_seconds > 0 && now - began_ > rule.start_seconds) {
      breaks(i, fmt::format("no match within {:g} s of the start", rule.start_seconds));
    }
    if (last >= 0 && rule.recurring_seconds > 0 && now - last > rule.recurring_seconds) {
      breaks(i, fmt::format("no match for {:g} s", rule.recurring_seconds));
    }
  }
  return std::exchange(faults_, {});
}

}  // namespace slipway::job
