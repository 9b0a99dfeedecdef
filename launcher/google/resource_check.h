// Checks resources as Terraform will read them against what the cloud takes: their names, values
// and disks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/google/resource_rules.h"
#include "launcher/google/terraform_value.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

// One for a deployment: names must be unique over all its modules and groups.
class ResourceCheck {
 public:
  ResourceCheck(ResourceRules rules, blueprint::Evaluation& evaluation,
                source::Diagnostics& diagnostics)
      : rules_(std::move(rules)), evaluation_(evaluation), diagnostics_(diagnostics) {}

  // Reports what the cloud would refuse, at the setting that has the value.
  void check(const blueprint::Module& module, const std::string& type, const Json& body);

 private:
  void check_name(const blueprint::Module& module, const std::string& type, const Json& body);
  void check_grant(const blueprint::Module& module, const std::string& type, const Json& body);
  std::pair<const blueprint::Module*, const blueprint::Module*> two_with(
      std::string key, const blueprint::Module& module);
  void check_values(const blueprint::Module& module, const std::string& path, const Json& value);
  void check_value(const blueprint::Module& module, const ValueRule& rule,
                   const std::string& attribute, const Json& value);
  void check_disks(const blueprint::Module& module, const Json& body);
  void check_disk(const blueprint::Module& module, const std::string& machine_type,
                  const std::string& disk_type);

  // Where the blueprint sets the input that becomes this value of an attribute; the module's id if
  // none does.
  source::Span place_of_value(const blueprint::Module& module, const std::string& attribute,
                              const Json& value);
  void report_disk(const blueprint::Module& module, const std::string& disk_type,
                   const std::string& message, const std::string& help);

  ResourceRules rules_;
  blueprint::Evaluation& evaluation_;
  source::Diagnostics& diagnostics_;
  std::map<std::string, const blueprint::Module*> named_;  // by type, scopes and name
  // The names that two modules share and that are reported already.
  std::map<std::pair<const blueprint::Module*, const blueprint::Module*>, std::vector<std::string>>
      shared_names_;
  std::set<std::pair<uint32_t, std::string>> said_;  // by place
};

}  // namespace slipway::google
