// Checks memory, clock, daemons, and the kernel log.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "launcher/health/checks.h"
#include "launcher/health/kernel_words.h"

namespace slipway::health {
namespace {

// One check counts at most this many records of the same kind.
constexpr int most_alike = 20;

// Reads a value of /proc/meminfo: "MemTotal:       16311004 kB".
std::optional<int64_t> meminfo(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(key) || line[key.size()] != ':') continue;
    return std::atoll(line.c_str() + key.size() + 1);
  }
  return std::nullopt;
}

void memory(const Machine& machine, Looking& looking) {
  const std::string text = machine.read("/proc/meminfo").value_or("");
  const auto total = meminfo(text, "MemTotal"), available = meminfo(text, "MemAvailable");
  if (!total || !available) return looking.skip("cannot read /proc/meminfo");
  const int64_t seen = looking.most("memory_kib", *total);
  const auto percent = [](int64_t part, int64_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  if (percent(*total, seen) < 100 - looking.limit("memory_lost_percent")) {
    looking.find("memory-missing", "memory",
                 fmt::format("{} MiB, down from {}", *total >> 10, seen >> 10));
  }
  if (percent(*available, *total) < looking.limit("memory_free_percent")) {
    looking.find("memory-low", "memory", fmt::format("{} MiB available", *available >> 10));
  }
}

void memory_ecc(const Machine& machine, Looking& looking) {
  const std::filesystem::path all = "/sys/devices/system/edac/mc";
  for (const std::string& controller : machine.names(all)) {
    const auto worse = machine.number(all / controller / "ue_count");
    if (worse && looking.growth("memory_ue/" + controller, *worse) > 0) {
      looking.find_event("memory-ecc-uncorrected", controller, "uncorrectable memory errors");
    }
    const auto corrected = machine.number(all / controller / "ce_count");
    const int64_t more = corrected ? looking.growth("memory_ce/" + controller, *corrected) : 0;
    if (static_cast<double>(more) > looking.limit("memory_ecc_corrected")) {
      looking.find_event("memory-ecc-corrected", controller,
                         fmt::format("{} new corrected memory errors", more));
    }
  }
}

void huge_pages(const Machine& machine, Looking& looking) {
  const auto expected = static_cast<int64_t>(looking.limit("huge_pages_2mib"));
  const int64_t there =
      machine.number("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages").value_or(0);
  if (there < expected) {
    looking.find("huge-pages", "memory", fmt::format("{} of {} huge pages", there, expected));
  }
}

void clock(const Machine& machine, Looking& looking) {
  const auto clock = machine.clock();
  if (!clock) return looking.skip("the kernel does not report it");
  if (!clock->synchronized) {
    looking.find("clock-unsynchronized", "clock", "not synchronized");
  } else if (std::abs(clock->offset_ms) > looking.limit("clock_offset_ms")) {
    looking.find("clock-offset", "clock", fmt::format("{:.1f} ms off", clock->offset_ms));
  }
}

void daemons(const Machine& machine, Looking& looking) {
  constexpr size_t longest_name = 15;  // stored by the kernel
  std::set<std::string> wanted;
  for (const std::string& name : looking.context.policy.daemons) {
    if (name == "slurmd" && looking.context.profile.role != "compute") continue;
    wanted.insert(name);
  }
  std::set<std::string> kept;
  for (const std::string& name : wanted) kept.insert(name.substr(0, longest_name));
  const std::set<std::string> there = machine.daemons(kept);
  for (const std::string& name : wanted) {
    if (!there.contains(name.substr(0, longest_name))) {
      looking.find("daemon-missing", name, "not running");
    }
  }
}

int64_t last_seen(const Context& context) {
  const auto seen = context.before.find("kernel_log");
  return seen == context.before.end() ? -1 : seen->second;
}

}  // namespace

void check_system(const Machine& machine, Looking& looking) {
  using Check = void (*)(const Machine&, Looking&);
  constexpr std::pair<const char*, Check> checks[] = {{"memory", memory},
                                                      {"memory_ecc", memory_ecc},
                                                      {"huge_pages", huge_pages},
                                                      {"clock", clock},
                                                      {"daemons", daemons}};
  for (const auto& [name, check] : checks) {
    looking.begin(name);
    check(machine, looking);
  }
}

void check_kernel_log(const Machine& machine, Looking& looking) {
  looking.begin("kernel_log");
  int64_t last = last_seen(looking.context);
  const auto records = machine.kernel_log(last);
  if (!records) return looking.skip("only root can read the kernel log");
  std::map<std::string, int> told;
  const auto is_enough = [&](const std::string& what) { return ++told[what] > most_alike; };
  std::vector<Xid> xids;
  for (const KernelRecord& record : *records) {
    last = std::max(last, record.number);
    if (const auto xid = xid_of(record)) {
      if (!is_enough(fmt::format("{} {}", xid->bus, xid->number))) xids.push_back(*xid);
    } else if (const auto* pattern = pattern_of(record, looking.context.policy)) {
      if (!is_enough(pattern->name)) looking.find_event(pattern->finding, "kernel", pattern->name);
    }
  }
  looking.growth("kernel_log", last);
  looking.begin("gpu_xid");
  // GPUs that the driver found, including those that NVML no longer shows.
  for (const std::string& bus : machine.names(driver_gpus_folder)) looking.fact("gpu/" + bus, "");
  for (const Xid& xid : xids) {
    looking.find_event("gpu-xid", "GPU " + xid.bus, fmt::format("Xid {}", xid.number), xid.number);
  }
}

}  // namespace slipway::health
