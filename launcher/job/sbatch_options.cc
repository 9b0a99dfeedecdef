// Reads what a job requested from sbatch.
#include "launcher/job/sbatch_options.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "common/text.h"
#include "launcher/job_script/header.h"
#include "launcher/job_script/options.h"

namespace slipway::job {
namespace {

// The 5 in "5-8", 2048 for "2k"; 0 for text that is not a number.
size_t least_of(std::string_view nodes) {
  const size_t digits = std::min(nodes.find_first_not_of("0123456789"), nodes.size());
  const size_t number = to_number<size_t>(nodes.substr(0, digits)).value_or(0);
  const std::string_view unit = nodes.substr(digits, 1);
  if (unit == "k" || unit == "K") return number * 1024;
  if (unit == "m" || unit == "M") return number * 1024 * 1024;
  return number;
}

std::optional<bool> is_on(const std::optional<std::string>& value) {
  const std::string text = value.value_or("set");
  if (text == "set") return true;
  if (text == "off" || text == "no") return false;
  return std::nullopt;
}

}  // namespace

void read_options(const std::vector<std::string>& words, SbatchOptions& options) {
  if (words.empty()) return;
  for (const job_script::GivenOption& option :
       job_script::parse_options(job_script::SlurmProgram::sbatch, words).given) {
    if (option.name == "nodes" && least_of(option.value.value_or("")) > 0) {
      options.least_nodes = least_of(*option.value);
    }
    if (option.name == "no-kill") options.no_kill = is_on(option.value).value_or(options.no_kill);
  }
}

SbatchOptions sbatch_options(const std::string& script, const std::string& submit_line) {
  SbatchOptions options;
  std::vector<std::string> words;
  for (const job_script::HeaderWord& word : job_script::read_header(script).words) {
    words.push_back(word.text);
  }
  read_options(words, options);
  words = split(submit_line, ' ');
  std::erase_if(words, [](const std::string& word) { return word.empty(); });
  if (!words.empty()) words.erase(words.begin());
  read_options(words, options);
  return options;
}

}  // namespace slipway::job
