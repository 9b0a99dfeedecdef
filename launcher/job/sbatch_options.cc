// Reads what a job requested from sbatch.
#include "launcher/job/sbatch_options.h"

#include <getopt.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "common/child.h"
#include "common/text.h"

namespace slipway::job {
namespace {

// sbatch's options, from 22.05 to 24.11 (src/common/slurm_opt.c): `=` marks an option that takes a
// value, `?` one whose value is optional. getopt needs all of them, as a value may look like an
// option.
constexpr std::string_view long_options =
    "account= acctg-freq= array= autocomplete= batch= bb= bbf= begin= chdir= cluster= "
    "cluster-constraint= clusters= comment= constraint= container= container-id= context= "
    "contiguous core-spec= cores-per-socket= cpu-freq= cpus-per-gpu= cpus-per-task= deadline= "
    "delay-boot= dependency= distribution= error= exclude= exclusive? export= export-file= extra= "
    "extra-node-info= get-user-env? gid= gpu-bind= gpu-freq= gpus= gpus-per-node= gpus-per-socket= "
    "gpus-per-task= gres= gres-flags= help hint= hold ignore-pbs input= job-name= "
    "kill-on-invalid-dep= licenses= mail-type= mail-user= mcs-label= mem= mem-bind= mem-per-cpu= "
    "mem-per-gpu= mincpus= network= nice? no-kill? no-requeue nodefile= nodelist= nodes= ntasks= "
    "ntasks-per-core= ntasks-per-gpu= ntasks-per-node= ntasks-per-socket= ntasks-per-tres= "
    "oom-kill-step? open-mode= output= overcommit oversubscribe parsable partition= power= prefer= "
    "priority= profile= propagate? qos= quiet reboot requeue reservation= resv-ports? segment= "
    "signal= sockets-per-node= spread-job stepmgr switches= tasks-per-node= test-only thread-spec= "
    "threads-per-core= time= time-min= tmp= tres-bind= tres-per-task= uid= usage use-min-nodes "
    "verbose version wait wait-all-nodes= wckey= wrap=";
constexpr const char* short_options =
    "+A:a:b:D:M:C:S:c:d:m:e:x:B:G:hHi:J:L:k::F:w:N:n:o:Osp:q:Qt:vVW";

struct LongOptions {
  LongOptions() : names(split(long_options, ' ')) {
    for (std::string& name : names) {
      const char mark = name.back();
      const int argument = mark == '='   ? required_argument
                           : mark == '?' ? optional_argument
                                         : no_argument;
      if (argument != no_argument) name.pop_back();
      const int value = name == "nodes" ? 'N' : name == "no-kill" ? 'k' : 0;
      table.push_back({name.c_str(), argument, nullptr, value});
    }
    table.push_back({nullptr, 0, nullptr, 0});
  }
  LongOptions(const LongOptions&) = delete;

  std::vector<std::string> names;
  std::vector<option> table;  // points into `names`
};

bool is_space(char c) {
  return std::string_view(" \t\r\v\f\n").find(c) != std::string_view::npos;
}

// The 5 in "5-8", 2048 for "2k"; 0 for text that is not a number.
size_t least_of(std::string_view nodes) {
  const size_t digits = std::min(nodes.find_first_not_of("0123456789"), nodes.size());
  const size_t number = to_number<size_t>(nodes.substr(0, digits)).value_or(0);
  const std::string_view unit = nodes.substr(digits, 1);
  if (unit == "k" || unit == "K") return number * 1024;
  if (unit == "m" || unit == "M") return number * 1024 * 1024;
  return number;
}

std::optional<bool> is_on(const char* value) {
  const std::string_view text = value == nullptr ? "set" : value;
  if (text == "set") return true;
  if (text == "off" || text == "no") return false;
  return std::nullopt;
}

// The next word from `at`, which moves past it; nothing at the end of the line.
std::optional<std::string> next_word(std::string_view line, size_t& at) {
  while (at < line.size() && is_space(line[at])) ++at;
  std::optional<std::string> word;
  for (char quote = 0; at < line.size() && (quote != 0 || !is_space(line[at])); ++at) {
    const char c = line[at];
    if (c == '\\') {
      if (++at >= line.size()) break;
      word = word.value_or("") + line[at];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == 0 && c == '#') {
      at = line.size();
      break;
    } else {
      word = word.value_or("") + c;
    }
  }
  return word;
}

// The separator between components of a heterogeneous job.
bool is_separator(std::string_view typed) {
  const std::string word = to_lower(typed);
  return word == "hetjob" || word == "packjob";
}

bool is_command(std::string_view line) {
  const std::string_view text = trim(line);
  return !text.empty() && text[0] != '#';
}

}  // namespace

std::vector<std::string> words_of_script(const std::string& script) {
  constexpr std::string_view mark = "#SBATCH";
  std::vector<std::string> words;
  for (const std::string& line : split(script, '\n')) {
    if (is_command(line)) break;  // sbatch stops here
    if (!line.starts_with(mark)) continue;
    size_t at = mark.size();
    bool is_first = true;
    while (std::optional<std::string> word = next_word(line, at)) {
      if (is_separator(*word) && is_first) return words;
      if (is_separator(*word)) break;  // sbatch ignores the rest of such a line
      is_first = false;
      words.push_back(std::move(*word));
    }
  }
  return words;
}

void read_options(const std::vector<std::string>& words, SbatchOptions& options) {
  static const LongOptions all;
  std::vector<std::string> copy = words;
  copy.insert(copy.begin(), "sbatch");
  std::vector<char*> argv = pointers(copy);
  const int argc = static_cast<int>(copy.size());
  opterr = 0;
  optind = 0;  // glibc: reset getopt
  for (int c = 0;
       (c = ::getopt_long(argc, argv.data(), short_options, all.table.data(), nullptr)) != -1;) {
    if (c == 'N' && least_of(optarg) > 0) options.least_nodes = least_of(optarg);
    if (c == 'k') options.no_kill = is_on(optarg).value_or(options.no_kill);
  }
}

SbatchOptions sbatch_options(const std::string& script, const std::string& submit_line) {
  SbatchOptions options;
  read_options(words_of_script(script), options);
  std::vector<std::string> words = split(submit_line, ' ');
  std::erase_if(words, [](const std::string& word) { return word.empty(); });
  if (!words.empty()) words.erase(words.begin());
  read_options(words, options);
  return options;
}

}  // namespace slipway::job
