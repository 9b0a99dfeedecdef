// The faults that you can inject into a node of a local cluster, and how they are written.
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
  bool ends_with_power;  // a software fault, which a restart of the node repairs
  int most = 0;          // largest second argument, for faults with numeric arguments
};

std::span<const FaultKind> fault_kinds();

struct Fault {
  std::string kind;
  std::vector<std::string> arguments;

  std::string text() const;  // "link-rate enp0s12 1gbit"

  // The kind and its target ("link-rate enp0s12"). A node has at most one fault for each key.
  std::string key() const;
};

// Parses a fault from a command line. Throws UsageError with the known kinds or the missing
// arguments.
Fault parse_fault(std::span<const std::string> words);

nlohmann::json to_json(const Fault& fault);
Fault fault_from_json(const nlohmann::json& body);

// The line and level that the kernel logs for the fault `kernel-log`; empty for an unknown `what`.
struct KernelLine {
  int level = 0;  // as in syslog(2)
  std::string text;
};
KernelLine kernel_line(const std::string& what);

// A numeric argument of a fault. Throws UsageError unless it is an integer from 0 to `last`.
int fault_number(const std::string& text, int last);

}  // namespace slipway::local
