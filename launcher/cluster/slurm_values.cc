// Compares values with what Slurm takes for a key.
#include <fmt/core.h>
#include <re2/re2.h>
#include <strings.h>

#include <algorithm>
#include <limits>

#include "common/slurm_duration.h"
#include "common/text.h"
#include "launcher/cluster/slurm_keys.h"

namespace slipway::cluster {
namespace {

bool is_word(const std::string& text, std::string_view words) {
  return std::ranges::any_of(slipway::split(std::string(words), ','), [&](const auto& word) {
    return ::strcasecmp(word.c_str(), text.c_str()) == 0;
  });
}

std::string words_problem(std::string text, std::string_view words) {
  if (const size_t colon = text.find(':'); colon != text.npos) {
    // YES:4 and FORCE:4 say how many jobs share.
    static const re2::RE2 shares("(?i)yes:([2-9]|[1-9][0-9]+)|force:[1-9][0-9]*");
    if (re2::RE2::FullMatch(text, shares)) text.resize(colon);
  }
  if (is_word(text, words)) return "";
  const auto known = slipway::split(std::string(words), ',');
  return fmt::format("use one of: {}", slipway::join(known, ", "));
}

std::string options_problem(const std::string& text, std::string_view words) {
  for (const std::string& option : slipway::split(text, ',')) {
    if (std::string problem = words_problem(option, words); !problem.empty()) return problem;
  }
  return "";
}

bool is_time(const std::string& text) {
  return slipway::slurm_duration(text).has_value();
}

std::string number_problem(const SlurmKey& key, const std::string& text) {
  if (is_word(text, "UNLIMITED,INFINITE") || is_word(text, key.words)) return "";
  std::string_view digits = text;
  // Wider types count in steps of 1024, too: 64K.
  const bool has_steps = key.most > std::numeric_limits<uint16_t>::max();
  if (has_steps && (digits.ends_with('K') || digits.ends_with('k'))) digits.remove_suffix(1);
  const auto number = to_number<uint64_t>(digits);
  if (number && *number >= key.least && *number <= key.most) return "";
  return key.most == std::numeric_limits<uint64_t>::max()
             ? fmt::format("write a whole number, {} or more, or UNLIMITED", key.least)
             : fmt::format("write a whole number from {} to {}, or UNLIMITED", key.least, key.most);
}

// Each pattern is compiled when the first value of its kind comes.
std::string form_problem(SlurmKey::Kind kind, const std::string& text) {
  const auto fits = [&](const re2::RE2& form) { return re2::RE2::FullMatch(text, form); };
  switch (kind) {
    case SlurmKey::Kind::weights: {
      static const re2::RE2 form(R"([^\s,=]+=-?[0-9.]+[KMGTP]?(,[^\s,=]+=-?[0-9.]+[KMGTP]?)*)");
      return fits(form) ? "" : "write TYPE=NUMBER, such as CPU=1.0,Mem=0.25G";
    }
    case SlurmKey::Kind::gres: {
      static const re2::RE2 form(R"(\w[\w.-]*(:\w[\w.-]*)*(,\w[\w.-]*(:\w[\w.-]*)*)*)");
      return fits(form) ? "" : "write NAME:NUMBER or NAME:TYPE:NUMBER, such as gpu:8";
    }
    case SlurmKey::Kind::ids: {
      static const re2::RE2 form("[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*");
      return fits(form) ? "" : "write numbers of CPUs, such as 0-3,8";
    }
    case SlurmKey::Kind::features: {
      // What else there is has a meaning in a job's --constraint.
      static const re2::RE2 form(R"([^\s,&|()\[\]*]+(,[^\s,&|()\[\]*]+)*)");
      return fits(form) ? "" : "write names separated by commas, such as bigmem,ssd";
    }
    default:
      return "";
  }
}

}  // namespace

std::string value_problem(const SlurmKey& key, const std::string& value) {
  if (value.empty()) return "";
  switch (key.kind) {
    case SlurmKey::Kind::text:
      return "";
    case SlurmKey::Kind::number:
      return number_problem(key, value);
    case SlurmKey::Kind::time:
      return is_time(value)
                 ? ""
                 : "write minutes, HOURS:MINUTES:SECONDS, DAYS-HOURS:MINUTES or UNLIMITED";
    case SlurmKey::Kind::flag:
      return is_word(value, "yes,no,up,down,true,false,1,0") ? "" : "write YES or NO";
    case SlurmKey::Kind::words:
      return words_problem(value, key.words);
    case SlurmKey::Kind::options:
      return options_problem(value, key.words);
    default:
      return form_problem(key.kind, value);
  }
}

}  // namespace slipway::cluster
