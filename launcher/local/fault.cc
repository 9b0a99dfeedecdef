// The faults that a node of a local cluster can be given.
#include "launcher/local/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"

namespace slipway::local {
namespace {

// A number with a unit, as tc(8) takes it.
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
    if (!plain) throw UsageError(fmt::format("`{}` is no argument of {}", argument, fault.kind));
  }
  if (fault.kind == "link-rate" && !is_rate(fault.arguments[1])) {
    throw UsageError(
        fmt::format("`{}` is no rate: a number and kbit, mbit or gbit", fault.arguments[1]));
  }
  if (fault.kind == "gpu-xid") fault_number(fault.arguments[1], 999);
  if (fault.kind == "gpu-ecc") fault_number(fault.arguments[1], 1'000'000);
  if (fault.kind.starts_with("gpu-")) fault_number(fault.arguments[0], 999);
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
  static const std::vector<FaultKind> kinds = {
      {"power-off", {}, "the node is off, and cannot be started until this is cleared", false},
      {"hang", {}, "every process of the node is frozen; its kernel still answers", true},
      {"link-down", {"IFACE"}, "the cable of an interface is out", false},
      {"link-rate", {"IFACE", "RATE"}, "an interface carries no more than RATE: 100mbit", false},
      {"gpu-lost", {"N"}, "GPU N has fallen off the bus, as NVML has it", false},
      {"gpu-xid", {"N", "XID"}, "GPU N reports the error XID", false},
      {"gpu-ecc",
       {"N", "COUNT"},
       "GPU N has had COUNT memory errors that cannot be corrected",
       false},
      {"nvml-hang", {}, "calls of NVML do not return", false},
      {"disk-full",
       {"FOLDER"},
       "no more can be written there: /tmp, /dev/shm, /run, "
       "/var/spool/slurmd",
       true},
      {"daemon-killed", {"NAME"}, "slurmd, munged or slurmctld is killed and stays away", true},
  };
  return kinds;
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
  int number = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || stop != end || number < 0 || number > last) {
    throw UsageError(fmt::format("`{}` is no whole number from 0 to {}", text, last));
  }
  return number;
}

}  // namespace slipway::local
