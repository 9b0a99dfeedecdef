// Knows the values of a partition's keys.
#include "launcher/cluster/slurm_values.h"

#include <fmt/core.h>
#include <re2/re2.h>
#include <strings.h>

#include <algorithm>
#include <array>

#include "common/text.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {
namespace {

enum class Kind { time, number, flag, words, options };

struct KeyValues {
  std::string_view key;
  Kind kind;
  std::string_view words = {};  // of `words` and `options`, and further ones of the others
};

// slurm.conf(5) of Slurm 22.05 to 25.05, PARTITION CONFIGURATION.
constexpr auto partition_values = std::to_array<KeyValues>({
    {"Default", Kind::flag},
    {"DefaultTime", Kind::time, "NONE"},
    {"DefCpuPerGPU", Kind::number},
    {"DefMemPerCPU", Kind::number},
    {"DefMemPerGPU", Kind::number},
    {"DefMemPerNode", Kind::number},
    {"DisableRootJobs", Kind::flag},
    {"ExclusiveTopo", Kind::flag},
    {"ExclusiveUser", Kind::flag},
    {"Hidden", Kind::flag},
    {"LLN", Kind::flag},
    {"MaxCPUsPerNode", Kind::number},
    {"MaxCPUsPerSocket", Kind::number},
    {"MaxMemPerCPU", Kind::number},
    {"MaxMemPerNode", Kind::number},
    {"MaxNodes", Kind::number},
    {"MaxTime", Kind::time},
    {"MinNodes", Kind::number},
    {"OverSubscribe", Kind::words, "NO,EXCLUSIVE,YES,FORCE"},
    {"OverTimeLimit", Kind::number},
    {"PowerDownOnIdle", Kind::flag},
    {"PreemptMode", Kind::options, "OFF,CANCEL,GANG,REQUEUE,SUSPEND,WITHIN"},
    {"PriorityJobFactor", Kind::number},
    {"PriorityTier", Kind::number},
    {"ReqResv", Kind::flag},
    {"ResumeTimeout", Kind::number},
    {"RootOnly", Kind::flag},
    {"State", Kind::words, "UP,DOWN,DRAIN,INACTIVE"},
    {"SuspendTime", Kind::number, "-1"},
    {"SuspendTimeout", Kind::number},
});

bool is_word(const std::string& text, std::string_view words) {
  return std::ranges::any_of(slipway::split(std::string(words), ','), [&](const auto& word) {
    return ::strcasecmp(word.c_str(), text.c_str()) == 0;
  });
}

std::string words_problem(std::string text, std::string_view words) {
  // YES:4 and FORCE:4 say how many jobs share.
  static const re2::RE2 shares("(?i)(yes|force):[0-9]+");
  if (re2::RE2::FullMatch(text, shares)) text.resize(text.find(':'));
  if (is_word(text, words)) return "";
  const auto known = slipway::split(std::string(words), ',');
  return fmt::format("use one of: {}", slipway::join(known, ", "));
}

bool is_time(const std::string& text) {
  static const re2::RE2 form("-1|[0-9]+(:[0-9]+){0,2}|[0-9]+-[0-9]+(:[0-9]+){0,2}");
  return re2::RE2::FullMatch(text, form) || is_word(text, "UNLIMITED,INFINITE");
}

bool is_number(const std::string& text) {
  static const re2::RE2 form("[0-9]{1,18}");
  return re2::RE2::FullMatch(text, form) || is_word(text, "UNLIMITED,INFINITE");
}

std::string problem_of(const KeyValues& known, const std::string& text) {
  switch (known.kind) {
    case Kind::time:
      return is_time(text) || is_word(text, known.words)
                 ? ""
                 : "write minutes, HOURS:MINUTES:SECONDS, DAYS-HOURS:MINUTES or UNLIMITED";
    case Kind::number:
      return is_number(text) || is_word(text, known.words) ? ""
                                                           : "write a whole number, or UNLIMITED";
    case Kind::flag:
      return is_word(text, "yes,no,up,down,true,false,1,0") ? "" : "write YES or NO";
    case Kind::words:
      return words_problem(text, known.words);
    case Kind::options:
      for (const std::string& option : slipway::split(text, ',')) {
        if (std::string problem = words_problem(option, known.words); !problem.empty())
          return problem;
      }
  }
  return "";
}

}  // namespace

std::string partition_value_problem(const std::string& key, const std::string& value) {
  const auto known = std::ranges::find_if(partition_values, [&](const KeyValues& row) {
    return row.key.size() == key.size() &&
           ::strncasecmp(row.key.data(), key.c_str(), key.size()) == 0;
  });
  // An empty value removes the key.
  return known == partition_values.end() || value.empty() ? "" : problem_of(*known, value);
}

}  // namespace slipway::cluster
