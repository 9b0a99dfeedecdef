// The faults that you can inject into a node of a local cluster, and how they are written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slipway::local {

// What a fault does to a node: node_faults.cc.
enum class Effect {
  power,
  freeze,
  link_down,
  link_rate,
  gpu,     // sets a field of a simulated GPU
  driver,  // sets a field of the simulated driver
  xid,
  kernel_log,
  disk_full,
  daemon_killed,
};

// A row of blueprints/catalogue/faults.yaml.
struct FaultKind {
  std::string name;                    // "link-rate"
  std::vector<std::string> arguments;  // "IFACE", "RATE"
  std::string about;
  Effect effect = Effect::power;
  std::string field;             // of the simulated state, for `gpu` and `driver`
  std::optional<int> healthy;    // the field's value without the fault; none: a flag
  bool ends_with_power = false;  // a software fault, which a restart of the node repairs
  int most = 0;                  // largest second argument, for faults with numeric arguments
};

// In the order of the file.
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

// Throws Error for a fault that is not in the catalogue.
const FaultKind& kind_of(const Fault& fault);

// The fault that switches a node's power off.
const std::string& power_fault();

nlohmann::json to_json(const Fault& fault);
Fault fault_from_json(const nlohmann::json& body);

// The line and level that the kernel logs for the fault `kernel-log`. Throws UsageError with the
// known names for an unknown `what`.
struct KernelLine {
  int level = 0;  // as in syslog(2)
  std::string text;
};
KernelLine kernel_line(const std::string& what);

// A numeric argument of a fault. Throws UsageError unless it is an integer from 0 to `last`.
int fault_number(const std::string& text, int last);

}  // namespace slipway::local
