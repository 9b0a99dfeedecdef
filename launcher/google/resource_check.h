// Checks resources as Terraform will read them against what the cloud takes: their names, values
// and disks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/expression/ipv4.h"
#include "launcher/expression/type.h"
#include "launcher/google/resource_rules.h"
#include "launcher/google/terraform_value.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

// One for a deployment: names must be unique over all its modules and groups.
class ResourceCheck {
 public:
  // Without `machines`, machine types are not checked.
  ResourceCheck(std::shared_ptr<const ResourceRules> rules, const cluster::Catalogue* machines,
                blueprint::Evaluation& evaluation, source::Diagnostics& diagnostics)
      : rules_(std::move(rules)),
        machines_(machines),
        evaluation_(evaluation),
        diagnostics_(diagnostics) {}

  // Reports what the cloud would refuse, at the setting that has the value. The type is
  // Terraform's, or the name of Packer's plugin.
  void check(const blueprint::Module& module, const std::string& type, const Json& body);

  // Reports settings of a library module by the names of its inputs.
  void check_inputs(const blueprint::Module& module);

 private:
  void check_name(const blueprint::Module& module, const std::string& type, const Json& body);
  void check_grant(const blueprint::Module& module, const std::string& type, const Json& body);
  std::pair<const blueprint::Module*, const blueprint::Module*> two_with(
      std::string key, const blueprint::Module& module);
  void check_values(const blueprint::Module& module, const std::string& path, const Json& value);
  void check_by_rules(const blueprint::Module& module, const std::string& path,
                      const std::string& attribute, const Json& value);
  bool is_for(const ValueRule& rule) const;
  void check_mapping(const blueprint::Module& module, const ValueRule& rule,
                     const std::string& attribute, const Json& mapping);
  void wrong_value(const blueprint::Module& module, const ValueRule& rule,
                   const std::string& attribute, const Json& value);
  void check_value(const blueprint::Module& module, const ValueRule& rule,
                   const std::string& attribute, const Json& value);
  void check_disks(const blueprint::Module& module, const Json& body);
  const MachineFamily* family_of(const std::string& machine_type) const;  // may be null
  void check_disk(const blueprint::Module& module, const std::string& machine_type,
                  const std::string& disk_type, bool boots);

  void check_machines(const blueprint::Module& module, const Json& body);
  void check_machine(const blueprint::Module& module, const Json& body);
  const cluster::MachineType* check_machine_type(const std::string& name, source::Span place);
  void check_input(const std::string& path, const expression::Value& value,
                   const expression::Type& type, const blueprint::Setting& setting);
  void check_gpus(const blueprint::Module& module, const cluster::MachineType& type,
                  const Json& gpus);
  void check_local_ssds(const blueprint::Module& module, const cluster::MachineType& type,
                        const Json& body);

  void check_tier_1(const blueprint::Module& module, const cluster::MachineType& type,
                    const Json& body);
  void check_features(const blueprint::Module& module, const cluster::MachineType& type,
                      const Json& body);
  void check_threads(const blueprint::Module& module, const cluster::MachineType& type,
                     std::optional<double> threads);
  void check_confidential(const blueprint::Module& module, const cluster::MachineType& type,
                          const Json& block);
  void check_platform(const blueprint::Module& module, const cluster::MachineType& type,
                      const std::string& platform);
  // A range of addresses in a network: a subnetwork's own, or a secondary one.
  struct Subnetwork {
    std::string name, network, text;
    expression::Ipv4Range range;
  };
  void check_subnetwork(const blueprint::Module& module, const Json& body);
  void check_range(const blueprint::Module& module, Subnetwork here);

  // Where the blueprint sets the input that becomes this value of an attribute; the module's id if
  // none does.
  source::Span place_of_value(const blueprint::Module& module, const std::string& attribute,
                              const Json& value);
  // Once at each place.
  void report(source::Code code, source::Span place, const std::string& message,
              const std::string& help);

  std::shared_ptr<const ResourceRules> rules_;
  const cluster::Catalogue* machines_;  // may be null
  blueprint::Evaluation& evaluation_;
  source::Diagnostics& diagnostics_;
  std::map<std::string, const blueprint::Module*> named_;  // by type, scopes and name
  // The names that two modules share and that are reported already.
  std::map<std::pair<const blueprint::Module*, const blueprint::Module*>, std::vector<std::string>>
      shared_names_;
  std::vector<Subnetwork> subnetworks_;              // so far
  std::set<std::pair<uint32_t, std::string>> said_;  // by place
  std::vector<const Json*> blocks_;  // around the value that is being checked, the resource first
};

}  // namespace slipway::google
