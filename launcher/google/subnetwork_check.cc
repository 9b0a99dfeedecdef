// Checks that subnetworks of a network, and their secondary ranges, do not overlap.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/google/resource_check.h"
#include "launcher/google/value_check.h"

namespace slipway::google {

void ResourceCheck::check_subnetwork(const blueprint::Module& module, const Json& body) {
  const std::string network = text_of(body, "network");
  if (network.empty()) return;
  check_range(module, {text_of(body, "name"), network, text_of(body, "ip_cidr_range"), {}});
  const auto secondary = body.find("secondary_ip_range");
  if (secondary == body.end() || !secondary->is_array()) return;
  for (const Json& range : *secondary) {
    check_range(module,
                {text_of(range, "range_name"), network, text_of(range, "ip_cidr_range"), {}});
  }
}

void ResourceCheck::check_range(const blueprint::Module& module, Subnetwork here) {
  const auto range = expression::parse_ipv4_range(here.text);
  if (!range) return;
  here.range = *range;
  for (const Subnetwork& other : subnetworks_) {
    if (other.network != here.network || !overlap(other.range, here.range)) continue;
    report(source::Code::rule_broken, place_of_value(module, "ip", here.text),
           fmt::format("the ranges `{}` ({}) and `{}` ({}) of a network overlap", other.name,
                       other.text, here.name, here.text),
           "give them ranges without a common address");
  }
  subnetworks_.push_back(std::move(here));
}

}  // namespace slipway::google
