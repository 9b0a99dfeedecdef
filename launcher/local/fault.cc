// The table of faults, and parsing one from a command line.
#include "launcher/local/fault.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"

namespace slipway::local {
namespace {

// A number with a unit, as in tc(8).
bool is_rate(const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == text.npos || digits > 9 || text[0] == '0') return false;
  const std::string unit = text.substr(digits);
  return unit == "kbit" || unit == "mbit" || unit == "gbit";
}

void check_arguments(const Fault& fault) {
  for (const std::string& argument : fault.arguments) {
    const bool plain = !argument.empty() && argument[0] != '-' &&
                       std::ranges::none_of(argument, [](unsigned char c) { return c <= ' '; });
    if (!plain)
      throw UsageError(fmt::format("`{}` is not a valid argument of {}", argument, fault.kind));
  }
  if (fault.kind == "link-rate" && !is_rate(fault.arguments[1])) {
    throw UsageError(fmt::format("`{}` is not a rate; write a number and kbit, mbit or gbit",
                                 fault.arguments[1]));
  }
  if (fault.kind.starts_with("gpu-")) fault_number(fault.arguments[0], 999);
  const auto kind = std::ranges::find(fault_kinds(), fault.kind, &FaultKind::name);
  if (kind->most > 0) fault_number(fault.arguments[1], kind->most);
  if (fault.kind == "kernel-log" && kernel_line(fault.arguments[0]).text.empty()) {
    throw UsageError(
        fmt::format("unknown kernel message `{}`; known: oops, memory-error, "
                    "stall, disk-error",
                    fault.arguments[0]));
  }
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
  static const std::vector<FaultKind> kinds = {
      {"power-off", {}, "the node loses power and stays off until you clear this fault", false},
      {"hang", {}, "every process on the node is frozen; its kernel still answers", true},
      {"link-down", {"IFACE"}, "an interface's cable is unplugged", false},
      {"link-rate", {"IFACE", "RATE"}, "an interface carries no more than RATE: 100mbit", false},
      {"gpu-lost", {"N"}, "NVML reports that GPU N has fallen off the bus", false},
      {"gpu-missing", {"N"}, "GPU N is missing", false},
      {"gpu-xid", {"N", "XID"}, "GPU N reports the Xid XID", false, 999},
      {"gpu-ecc",
       {"N", "COUNT"},
       "GPU N counts COUNT uncorrectable memory errors",
       false,
       1'000'000},
      {"gpu-ecc-corrected",
       {"N", "COUNT"},
       "GPU N counts COUNT corrected memory errors",
       false,
       1'000'000},
      {"gpu-remap-failed", {"N"}, "a row of GPU N's memory could not be remapped", false},
      {"gpu-pages", {"N", "COUNT"}, "GPU N has retired COUNT pages of its memory", false, 999},
      {"gpu-nvlink", {"N", "LINK"}, "an NVLink of GPU N is down", false, 17},
      {"gpu-pcie-width", {"N", "LANES"}, "GPU N has only LANES PCIe lanes", false, 16},
      {"gpu-pcie-gen", {"N", "GEN"}, "GPU N runs at PCIe generation GEN", false, 9},
      {"gpu-replays", {"N", "COUNT"}, "GPU N counts COUNT PCIe replays", false, 1'000'000},
      {"gpu-throttled", {"N"}, "GPU N lowers its clocks because of heat", false},
      {"gpu-celsius", {"N", "DEGREES"}, "GPU N reports this temperature", false, 200},
      {"gpu-watts", {"N", "WATTS"}, "GPU N's power is limited to WATTS", false, 10'000},
      {"gpu-process", {"N", "PID"}, "process PID runs on GPU N", false, 4'194'304},
      {"gpu-unloads", {"N"}, "GPU N is not in persistence mode", false},
      {"gpu-recovery",
       {"N", "ACTION"},
       "the driver reports this recovery action for GPU N, 0 to 4",
       false,
       4},
      {"nvml-mismatch", {}, "NVML and the driver have different versions", false},
      {"kernel-log",
       {"WHAT"},
       "the node's kernel logs it once: oops, memory-error, stall, disk-error",
       true},
      {"nvml-hang", {}, "NVML calls never return", false},
      {"disk-full",
       {"FOLDER"},
       "the file system is full: /tmp, /dev/shm, /run, "
       "/var/spool/slurmd",
       true},
      {"daemon-killed", {"NAME"}, "slurmd, munged or slurmctld is killed and stays away", true},
  };
  return kinds;
}

KernelLine kernel_line(const std::string& what) {
  if (what == "oops") return {1, "BUG: unable to handle page fault for address: 0000000000000010"};
  if (what == "memory-error") {
    return {0, "mce: [Hardware Error]: CPU 0: Machine Check Exception: 5 Bank 7: be00000000010091"};
  }
  if (what == "stall") {
    return {3, "INFO: task kworker/u8:0:7 blocked for more than 120 seconds."};
  }
  if (what == "disk-error") {
    return {3, "I/O error, dev sda, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2"};
  }
  return {};
}

std::string Fault::text() const {
  return arguments.empty() ? kind : kind + " " + join(arguments, " ");
}

std::string Fault::key() const {
  return arguments.empty() ? kind : kind + " " + arguments.front();
}

Fault parse_fault(std::span<const std::string> words) {
  std::vector<std::string> names;
  for (const FaultKind& kind : fault_kinds()) names.push_back(kind.name);
  if (words.empty()) throw UsageError("which fault? known: " + join(names, ", "));
  const auto kind = std::ranges::find(fault_kinds(), words[0], &FaultKind::name);
  if (kind == fault_kinds().end()) {
    const std::string guess = nearest(words[0], names);
    throw UsageError(guess.empty()
                         ? fmt::format("unknown fault `{}`; known: {}", words[0], join(names, ", "))
                         : fmt::format("unknown fault `{}`; did you mean `{}`?", words[0], guess));
  }
  Fault fault{kind->name, {words.begin() + 1, words.end()}};
  if (fault.arguments.size() != kind->arguments.size()) {
    throw UsageError(kind->arguments.empty()
                         ? fmt::format("{} takes no argument", kind->name)
                         : fmt::format("{} takes {}", kind->name, join(kind->arguments, " ")));
  }
  check_arguments(fault);
  return fault;
}

nlohmann::json to_json(const Fault& fault) {
  return {{"kind", fault.kind}, {"arguments", fault.arguments}};
}

Fault fault_from_json(const nlohmann::json& body) {
  std::vector<std::string> words = {body.at("kind")};
  for (const std::string word : body.at("arguments")) words.push_back(word);
  return parse_fault(words);
}

int fault_number(const std::string& text, int last) {
  const int number = to_number<int>(text).value_or(-1);
  if (number < 0 || number > last) {
    throw UsageError(fmt::format("`{}` is not a whole number from 0 to {}", text, last));
  }
  return number;
}

}  // namespace slipway::local
