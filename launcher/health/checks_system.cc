// Checks memory, clock, daemons, and the kernel log.
#include <fmt/core.h>

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

void memory(const Machine& machine, CheckRun& run) {
  const std::string text = machine.read("/proc/meminfo").value_or("");
  const auto total = meminfo(text, "MemTotal"), available = meminfo(text, "MemAvailable");
  if (!total || !available) return run.skip("cannot read /proc/meminfo");
  const int64_t seen = run.most("memory_kib", *total);
  const auto percent = [](int64_t part, int64_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  if (percent(*total, seen) < 100 - run.limit("memory_lost_percent")) {
    run.find("memory-missing", "memory",
             fmt::format("{} MiB, down from {}", *total >> 10, seen >> 10));
  }
  if (percent(*available, *total) < run.limit("memory_free_percent")) {
    run.find("memory-low", "memory", fmt::format("{} MiB available", *available >> 10));
  }
}

void memory_ecc(const Machine& machine, CheckRun& run) {
  const std::filesystem::path all = "/sys/devices/system/edac/mc";
  for (const std::string& controller : machine.names(all)) {
    const auto worse = machine.number(all / controller / "ue_count");
    if (worse && run.growth("memory_ue/" + controller, *worse) > 0) {
      run.find_event("memory-ecc-uncorrected", controller, "uncorrectable memory errors");
    }
    const auto corrected = machine.number(all / controller / "ce_count");
    const int64_t more = corrected ? run.growth("memory_ce/" + controller, *corrected) : 0;
    if (static_cast<double>(more) > run.limit("memory_ecc_corrected")) {
      run.find_event("memory-ecc-corrected", controller,
                     fmt::format("{} new corrected memory errors", more));
    }
  }
}

void huge_pages(const Machine& machine, CheckRun& run) {
  const auto expected = static_cast<int64_t>(run.limit("huge_pages_2mib"));
  const int64_t there =
      machine.number("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages").value_or(0);
  if (there < expected) {
    run.find("huge-pages", "memory", fmt::format("{} of {} huge pages", there, expected));
  }
}

void clock(const Machine& machine, CheckRun& run) {
  const auto clock = machine.clock();
  if (!clock) return run.skip("the kernel does not report it");
  if (!clock->synchronized) {
    run.find("clock-unsynchronized", "clock", "not synchronized");
  } else if (std::abs(clock->offset_ms) > run.limit("clock_offset_ms")) {
    run.find("clock-offset", "clock", fmt::format("{:.1f} ms off", clock->offset_ms));
  }
}

// Slurm's daemons then need no munged.
bool has_auth_slurm(const Machine& machine) {
  const auto conf = machine.read("/etc/slurm/slurm.conf");
  return conf && ("\n" + *conf + "\n").find("\nAuthType=auth/slurm\n") != std::string::npos;
}

void daemons(const Machine& machine, CheckRun& run) {
  constexpr size_t longest_name = 15;  // stored by the kernel
  std::set<std::string> wanted;
  for (const std::string& name : run.context.policy.daemons) {
    if (name == "slurmd" && run.context.profile.role != "compute") continue;
    wanted.insert(name);
  }
  std::set<std::string> kept;
  for (const std::string& name : wanted) kept.insert(name.substr(0, longest_name));
  const std::set<std::string> there = machine.daemons(kept);
  for (const std::string& name : wanted) {
    if (there.contains(name.substr(0, longest_name))) continue;
    if (name == "munged" && has_auth_slurm(machine)) continue;
    run.find("daemon-missing", name, "not running");
  }
}

int64_t last_seen(const Context& context) {
  const auto seen = context.before.find("kernel_log");
  return seen == context.before.end() ? -1 : seen->second;
}

}  // namespace

void check_system(const Machine& machine, CheckRun& run) {
  using Check = void (*)(const Machine&, CheckRun&);
  constexpr std::pair<const char*, Check> checks[] = {{"memory", memory},
                                                      {"memory_ecc", memory_ecc},
                                                      {"huge_pages", huge_pages},
                                                      {"clock", clock},
                                                      {"daemons", daemons}};
  for (const auto& [name, check] : checks) {
    run.begin(name);
    check(machine, run);
  }
}

void check_kernel_log(const Machine& machine, CheckRun& run) {
  run.begin("kernel_log");
  int64_t last = last_seen(run.context);
  const auto records = machine.kernel_log(last);
  if (!records) return run.skip("only root can read the kernel log");
  std::map<std::string, int> told;
  const auto is_enough = [&](const std::string& what) { return ++told[what] > most_alike; };
  std::vector<Xid> xids;
  for (const KernelRecord& record : *records) {
    last = std::max(last, record.number);
    if (const auto xid = xid_of(record)) {
      if (!is_enough(fmt::format("{} {}", xid->bus, xid->number))) xids.push_back(*xid);
    } else if (const auto* pattern = pattern_of(record, run.context.policy)) {
      if (!is_enough(pattern->name)) run.find_event(pattern->finding, "kernel", pattern->name);
    }
  }
  run.growth("kernel_log", last);
  run.begin("gpu_xid");
  // GPUs that the driver found, including those that NVML no longer shows.
  for (const std::string& bus : machine.names(driver_gpus_folder)) run.fact("gpu/" + bus, "");
  for (const Xid& xid : xids) {
    run.find_event("gpu-xid", "GPU " + xid.bus, fmt::format("Xid {}", xid.number), xid.number);
  }
}

}  // namespace slipway::health
