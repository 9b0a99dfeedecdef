// Reads the kernel messages of an attempt.
#include "launcher/job/kernel_log.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/text.h"
#include "launcher/health/kernel_words.h"
#include "launcher/health/machine.h"

namespace slipway::job {
namespace {

constexpr size_t most_lines = 20;
constexpr size_t most_kernel_lines = 1000;  // of an attempt
constexpr size_t largest_verdict = 1 << 22;
constexpr std::string_view nvml_words = "NVML: Xid ";

bool asks_for_a_drain(const health::Xid& xid, const health::Policy& policy) {
  return policy.meaning_of_xid(xid.number).rule.action >= health::Action::drain;
}

void keep_last(std::vector<std::string>& lines, size_t most = most_lines) {
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<ptrdiff_t>(most));
}

}  // namespace

void add_lines(KernelLines& kept, const KernelLines& lines) {
  kept.all.insert(kept.all.end(), lines.all.begin(), lines.all.end());
  kept.broken.insert(kept.broken.end(), lines.broken.begin(), lines.broken.end());
  keep_last(kept.all, most_kernel_lines);
  keep_last(kept.broken, most_kernel_lines);
}

std::optional<health::Policy> policy_here() {
  try {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    health::Policy policy = health::load_policy_file(find_installation().blueprints() / "catalogue",
                                                     {}, sources, diagnostics);
    if (diagnostics.errors() == 0) return policy;
  } catch (const std::exception&) {
    // The node's own health checks report the problem.
  }
  return std::nullopt;
}

GpuPlaces gpu_places(const std::filesystem::path& last_verdict) {
  const auto driver = health::Machine().names(health::driver_gpus_folder);
  GpuPlaces places(driver.begin(), driver.end());
  try {
    const std::string prefix = "gpu/";
    const auto verdict = nlohmann::json::parse(read_regular_file(last_verdict, largest_verdict));
    for (const auto& [name, index] : verdict.at("facts").items()) {
      if (name.starts_with(prefix)) places.insert(name.substr(prefix.size()));
    }
  } catch (const std::exception&) {
    // The node was never checked, or was checked by another version.
  }
  return places;
}

bool matters(const health::KernelRecord& record, const health::Policy& policy) {
  return health::xid_of(record) || health::pattern_of(record, policy) != nullptr;
}

bool asks_for_a_drain(const health::KernelRecord& record, const health::Policy& policy,
                      const GpuPlaces& places) {
  const auto xid = health::xid_of(record);
  return xid && places.contains(xid->bus) && asks_for_a_drain(*xid, policy);
}

std::string line_of(const health::Xid& xid) {
  return fmt::format("{}{} of GPU {}", nvml_words, xid.number, xid.bus);
}

std::optional<int> xid_number_in(const std::string& line) {
  if (line.starts_with(nvml_words)) {
    const std::string_view rest = std::string_view(line).substr(nvml_words.size());
    return to_number<int>(rest.substr(0, rest.find(' ')));
  }
  const auto xid = health::parse_xid(line);
  return xid ? std::optional(xid->number) : std::nullopt;
}

KernelLog::KernelLog(std::optional<health::Policy> policy, std::filesystem::path last_verdict,
                     const std::filesystem::path& log)
    : policy_(std::move(policy)), last_verdict_(std::move(last_verdict)), reader_(log) {
  skip();
}

KernelLines KernelLog::lines(const std::optional<std::vector<health::Xid>>& events) {
  KernelLines lines;
  for (health::KernelRecord& record : reader_.read()) {
    if (!policy_ || !matters(record, *policy_)) continue;
    const bool may_count = !events && health::xid_of(record);
    if (may_count && asks_for_a_drain(record, *policy_, gpu_places(last_verdict_))) {
      lines.broken.push_back(record.text);
    }
    lines.all.push_back(std::move(record.text));
  }
  for (const health::Xid& xid : events.value_or(std::vector<health::Xid>())) {
    if (!policy_ || !asks_for_a_drain(xid, *policy_)) continue;
    lines.all.push_back(line_of(xid));
    lines.broken.push_back(line_of(xid));
  }
  keep_last(lines.all);
  keep_last(lines.broken);
  return lines;
}

}  // namespace slipway::job
