// The software under a run.
#include "nccl-tests/software.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "common/environment.h"
#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

std::string text_of_file(const char* path) {
  try {
    return read_file(path);
  } catch (const Error&) {
    return "";
  }
}

bool is_version(const std::string& word) {
  return word.find('.') != std::string::npos &&
         word.find_first_not_of("0123456789.") == std::string::npos;
}

std::string value_in(std::string_view text, std::string_view key) {
  for (const std::string& line : split(std::string(text), '\n')) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != '=') continue;
    std::string value = line.substr(key.size() + 1);
    std::erase(value, '"');
    return value;
  }
  return "";
}

// "24.11.5" of the cluster that this process is a task of.
std::string slurm_version() {
  if (environment_variable("SLURM_JOB_ID").empty()) return "";
  try {
    const ProcessResult asked =
        run_process({"scontrol", "--version"}, {.input = "", .deadline = std::chrono::seconds(2)});
    const std::string line(trim(asked.output));
    return asked.ok() ? line.substr(line.rfind(' ') + 1) : "";
  } catch (const Error&) {  // a container without Slurm's programs
    return "";
  }
}

}  // namespace

std::string driver_in(std::string_view text) {
  const std::string line(text.substr(0, text.find('\n')));
  for (const std::string& word : split(line, ' ')) {
    if (is_version(word)) return word;
  }
  return "";
}

std::string image_in(std::string_view text) {
  const std::string id = value_in(text, "IMAGE_ID"), version = value_in(text, "IMAGE_VERSION");
  if (!id.empty()) return version.empty() ? id : id + " " + version;
  return value_in(text, "PRETTY_NAME");
}

std::map<std::string, std::string> software_of_this_node() {
  utsname kernel{};
  ::uname(&kernel);
  std::map<std::string, std::string> found = {
      {"driver", driver_in(text_of_file("/proc/driver/nvidia/version"))},
      {"image", image_in(text_of_file("/etc/os-release"))},
      {"kernel", kernel.release},
      {"slurm", slurm_version()},
  };
  std::erase_if(found, [](const auto& each) { return each.second.empty(); });
  return found;
}

std::string software_text(const std::map<std::string, std::string>& software) {
  std::string text;
  for (const auto& [name, version] : software) text += fmt::format("{}\t{}\n", name, version);
  return text;
}

std::map<std::string, std::string> joined_software(const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> versions;
  for (const std::string& text : std::set<std::string>(texts.begin(), texts.end())) {
    for (const std::string& line : split(text, '\n')) {
      const size_t tab = line.find('\t');
      if (tab == std::string::npos) continue;
      std::vector<std::string>& known = versions[line.substr(0, tab)];
      const std::string version = line.substr(tab + 1);
      if (std::ranges::find(known, version) == known.end()) known.push_back(version);
    }
  }
  std::map<std::string, std::string> joined;
  for (auto& [name, known] : versions) {
    std::ranges::sort(known);
    joined[name] = join(known, ", ");
  }
  return joined;
}

}  // namespace slipway::bandwidth
