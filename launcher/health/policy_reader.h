// Reading one file of health policy into what is known already.
#pragma once

#include <string>

#include "launcher/health/policy.h"
#include "launcher/source/yaml.h"

namespace slipway::health {

// Lays a file over a policy. The catalogue's file is the first: it names what there is. A user's
// may change that, and add mounts, daemons, disks and Xids.
class PolicyReader {
 public:
  PolicyReader(Policy& policy, source::Diagnostics& diagnostics, bool is_first)
      : policy_(policy), diagnostics_(diagnostics), is_first_(is_first) {}

  void read(const source::Node& root);

 private:
  void read_key(const source::Entry& entry);
  void read_findings(const source::Node& node);
  void read_xids(const source::Node& node);
  void read_xid_sources(const source::Node& node);
  void read_presets(const source::Node& node);
  void read_preset(const source::Node& node);
  void read_recovery_actions(const source::Node& node);
  void read_gpu_models(const source::Node& node);
  void read_kernel_log(const source::Node& node);
  void read_breaker(const source::Node& node);
  void read_numbers(const source::Node& node, std::string_view what,
                    std::map<std::string, double>& into);

  void read_rule(const source::Node& node, std::string_view what, Rule& rule);
  void read_escalation(const source::Node& node, Escalation& escalation);
  void read_xid_row(const source::Node& node, XidRow& row);

  bool is_mapping(const source::Node& node, std::string_view what);
  std::optional<double> number(const source::Node& node, std::string_view what);
  std::optional<Action> action(const source::Node& node);
  std::vector<std::string> texts(const source::Node& node, std::string_view what);
  std::vector<std::string> paths(const source::Node& node, std::string_view what);
  void wrong(source::Span span, std::string message, std::string help = {});
  void unknown(source::Span span, std::string_view what, const std::string& typed,
               const std::vector<std::string>& known);

  Policy& policy_;
  source::Diagnostics& diagnostics_;
  bool is_first_;
};

}  // namespace slipway::health
