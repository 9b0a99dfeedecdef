// The faults that a node of a local cluster can be given, as a person types them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace slipway::local {

struct FaultKind {
  std::string name;                    // "link-rate"
  std::vector<std::string> arguments;  // "IFACE", "RATE"
  std::string about;
  bool ends_with_power;  // software: a start makes it good
  int most = 0;          // the largest second argument, of a fault whose arguments are numbers
};

std::span<const FaultKind> fault_kinds();

struct Fault {
  std::string kind;
  std::vector<std::string> arguments;

  std::string text() const;  // "link-rate enp0s12 1gbit"

  // Two faults of one key are one: the kind, and what it is about ("link-rate enp0s12").
  std::string key() const;
};

// The words of a command line. Throws UsageError, with the kinds that there are, or the arguments
// that are missing.
Fault parse_fault(std::span<const std::string> words);

nlohmann::json to_json(const Fault& fault);
Fault fault_from_json(const nlohmann::json& body);

// What the kernel logs for the fault `kernel-log`, and at which level; empty for an unknown `what`.
struct KernelLine {
  int level = 0;  // syslog(2)
  std::string text;
};
KernelLine kernel_line(const std::string& what);

// A number that a fault was given. Throws UsageError unless it is whole and from 0 to `last`.
int fault_number(const std::string& text, int last);

}  // namespace slipway::local
