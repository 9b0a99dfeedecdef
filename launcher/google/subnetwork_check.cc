// Checks that subnetworks of a network do not overlap.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/google/resource_check.h"

namespace slipway::google {

void ResourceCheck::check_subnetwork(const blueprint::Module& module, const Json& body) {
  const auto text = [&](const char* key) {
    const auto found = body.find(key);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const Subnetwork here{&module, text("name"), text("network"), text("ip_cidr_range"), {}};
  const auto range = expression::parse_ipv4_range(here.text);
  if (here.network.empty() || !range) return;
  for (const Subnetwork& other : subnetworks_) {
    if (other.network != here.network || !overlap(other.range, *range)) continue;
    report(source::Code::rule_broken, place_of_value(module, "ip", here.text),
           fmt::format("the subnetworks `{}` ({}) and `{}` ({}) of a network overlap", other.name,
                       other.text, here.name, here.text),
           "give them ranges without a common address");
  }
  subnetworks_.push_back(here);
  subnetworks_.back().range = *range;
}

}  // namespace slipway::google
