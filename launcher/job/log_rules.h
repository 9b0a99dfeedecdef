// Rules about a program's output, in the form that SageMaker HyperPod has them
// (logMonitoringConfiguration of its training operator), so that a job can move:
//
//   - name: steps                         # JSON or YAML: a list, or a mapping with that key
//     logPattern: 'loss: ([0-9.]+|nan)'   # a regular expression (RE2)
//     expectedStartCutOffInSeconds: 600   # the first match comes within this time
//     expectedRecurringFrequencyInSeconds: 300    # and then one at least this often
//     metricThreshold: 80                 # of the first group in parentheses:
//     operator: lteq                      # a value at most 80 is a fault; lt lteq gt gteq eq neq
//     metricEvaluationDataPoints: 5       # so many in a row
//     faultOnMatch: true                  # instead of the others: a match is the fault
//
// A value that is not a number breaks every threshold.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::job {

struct LogRule {
  std::string name;
  std::shared_ptr<const re2::RE2> pattern;
  double start_seconds = 0, recurring_seconds = 0;  // 0: not expected
  std::optional<double> threshold;
  std::string operation;  // "lteq"
  int points = 1;
  bool fault_on_match = false;
};

// Reads a file into `sources`. Errors go to `diagnostics`; do not use the rules then.
// Throws Error if it cannot be read.
std::vector<LogRule> read_log_rules(const std::filesystem::path& file, source::Sources& sources,
                                    source::Diagnostics& diagnostics);

struct LogFault {
  std::string text;   // "`nan`: rank 7 wrote `loss: nan`", for people
  int64_t rank = -1;  // that wrote the line; -1: a line is missing
  bool operator==(const LogFault&) const = default;
};

// Applies rules to the lines of all ranks. The clock is the caller's.
class LogWatch {
 public:
  explicit LogWatch(std::vector<LogRule> rules)
      : rules_(std::move(rules)), states_(rules_.size()) {}

  void begin(double now);  // an attempt
  void line(double now, int64_t rank, std::string_view text);
  // What was broken since the last call, for people; each rule once an attempt.
  std::vector<LogFault> faults(double now);
  bool is_empty() const { return rules_.empty(); }

 private:
  struct State {
    double last = -1;  // match
    int in_a_row = 0;
    bool broken = false;
  };
  void breaks(size_t rule, const std::string& what, int64_t rank = -1);

  std::vector<LogRule> rules_;
  std::vector<State> states_;
  std::vector<LogFault> faults_;
  double began_ = 0;
};

}  // namespace slipway::job
