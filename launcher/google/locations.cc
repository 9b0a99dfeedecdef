// Checks regions, zones and the machine types that they offer.
#include "launcher/google/locations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/blueprint/use_check.h"
#include "launcher/cluster/model_part.h"
#include "launcher/google/setting_place.h"

namespace slipway::google {
namespace {

using blueprint::Level;
using blueprint::Module;
using expression::Value;
using source::Code;

// Whether the name ends as zones do: us-central1-a, or us-south1-ai1b, an AI zone
// (https://docs.cloud.google.com/compute/docs/regions-zones/ai-zones).
bool ends_like_a_zone(std::string_view name) {
  std::string_view end = name.substr(name.rfind('-') + 1);
  if (end.starts_with("ai") && end.size() > 3) {
    end.remove_prefix(2);
    while (end.size() > 1 && end[0] >= '0' && end[0] <= '9') end.remove_prefix(1);
  }
  return end.size() == 1 && end[0] >= 'a' && end[0] <= 'z';
}

// The kinds of places that an input and its attributes name.
std::map<std::string, std::string> places_of(const modules::Input& input) {
  if (!input.places.empty()) return input.places;
  if (input.name == "region") return {{"", "region"}};
  if (input.name == "zone" || input.name == "zones") return {{"", "zone"}};
  return {};
}

class PlaceCheck {
 public:
  PlaceCheck(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
             const cluster::Zones& zones, source::Diagnostics& diagnostics)
      : deployment_(deployment),
        evaluation_(evaluation),
        zones_(zones),
        diagnostics_(diagnostics),
        region_exists_(level_of(deployment, "test_region_exists")),
        zone_exists_(level_of(deployment, "test_zone_exists")),
        zone_in_region_(level_of(deployment, "test_zone_in_region")),
        machine_in_zone_(level_of(deployment, "test_machine_type_in_zone")) {}

  void check(const Module& module) {
    region_ = region_of(module);
    if (region_.empty()) region_ = region_of_cluster(module);
    for (const modules::Input& input : module.interface->inputs) {
      for (const auto& [attribute, kind] : places_of(input)) {
        const auto known = zones_.kinds.find(kind);
        if (known == zones_.kinds.end()) continue;
        const Value& value = evaluation_.input(module, input.name);
        check_all({module, input.name, known->second}, value, attribute);
      }
    }
    const std::string machine_type = text(module, "machine_type");
    const std::string zone = text(module, "zone");
    if (!machine_type.empty() && !zone.empty()) check_machine(module, machine_type, zone);
  }

 private:
  struct Asked {
    const Module& module;
    const std::string& input;
    const cluster::KindOfPlace& kind;
  };

  // The region in which a module's zones are; empty if none of its inputs says so.
  std::string region_of(const Module& module) {
    const modules::Input* region = module.interface->input("region");
    if (region == nullptr) return {};
    const auto places = places_of(*region);
    const auto own = places.find("");
    return own != places.end() && own->second == "region" ? text(module, "region") : "";
  }

  // The region of the GKE cluster to which a module belongs, such as a node pool.
  std::string region_of_cluster(const Module& module) {
    if (module.interface->input("cluster_id") == nullptr) return {};
    const Module* cluster = deployment_.source_of(evaluation_.input(module, "cluster_id"));
    return cluster == nullptr ? std::string() : region_of(*cluster);
  }

  // The value of an input; empty if it is not known.
  std::string text(const Module& module, const std::string& input) {
    if (module.interface->input(input) == nullptr) return {};
    const auto* known = evaluation_.input(module, input).as<std::string>();
    return known == nullptr ? std::string() : *known;
  }

  // Reports a problem once, since modules share variables.
  void report(Level level, Code code, source::Span span, const std::string& message,
              std::string help) {
    if (level == Level::ignore || !said_.emplace(span.begin, message).second) return;
    (level == Level::error ? diagnostics_.error(code, span, message)
                           : diagnostics_.warning(code, span, message))
        .help(std::move(help));
  }

  // The names in a value, in its items, or in an attribute of it.
  void check_all(const Asked& asked, const Value& value, const std::string& attribute) {
    if (const auto* list = value.as<Value::List>()) {
      for (const Value& item : *list) check_all(asked, item, attribute);
    } else if (const auto* object = value.as<Value::Object>(); object && !attribute.empty()) {
      const auto member = object->find(attribute);
      if (member != object->end()) check_all(asked, member->second, "");
    } else if (const auto* name = value.as<std::string>()) {
      if (attribute.empty() && !name->empty()) check_name(asked, *name);
    }
  }

  void check_name(const Asked& asked, const std::string& written) {
    const cluster::KindOfPlace& kind = asked.kind;
    const std::string name = kind.any_case ? to_lower(written) : written;
    if (std::ranges::find(kind.others, name) != kind.others.end()) return;
    if (kind.regions && zones_.regions.contains(name)) return;
    const source::Span place = place_in(asked.module, asked.input, written);
    if (kind.zones && (!kind.regions || ends_like_a_zone(name))) {
      return check_zone(place, name, kind.regions ? std::string() : region_);
    }
    std::vector<std::string> known = kind.others;
    const std::vector<std::string> regions = zones_.region_names();
    known.insert(known.end(), regions.begin(), regions.end());
    const std::string meant = source::did_you_mean(name, known);
    // What others' modules call a region may be any place; a slip is still one.
    if (asked.module.interface->foreign && meant.empty()) return;
    // A variable may be the region of one module and the place of another's bucket.
    if (!said_.emplace(place.begin, written).second) return;
    const bool is_zone = !kind.zones && !zones_.region_of(name).empty();
    report(region_exists_, Code::unknown_place, place,
           kind.others.empty() && !kind.zones ? fmt::format("there is no region `{}`", written)
                                              : fmt::format("`{}` is not {}", written, kind.is),
           is_zone ? fmt::format("that is a zone; its region is {}", zones_.region_of(name))
           : meant.empty() && !kind.others.empty()
               ? fmt::format("use a region, or one of: {}", slipway::join(kind.others, ", "))
               : meant);
  }

  void check_zone(source::Span place, const std::string& zone, const std::string& region) {
    const size_t dash = zone.rfind('-');
    const std::string its = dash == zone.npos ? std::string() : zone.substr(0, dash);
    const auto found = zones_.regions.find(its);
    if (found == zones_.regions.end()) {
      const auto whole = zones_.regions.find(zone);
      report(zone_exists_, Code::unknown_place, place, fmt::format("there is no zone `{}`", zone),
             whole != zones_.regions.end()
                 ? fmt::format("that is a region; its zones are {}",
                               slipway::join(whole->second, ", "))
                 : source::did_you_mean(its.empty() ? zone : its, zones_.region_names()));
      return;
    }
    if (zones_.region_of(zone).empty()) unlisted(*found, zone, place);
    if (its != region && zones_.regions.contains(region)) {
      report(zone_in_region_, Code::unknown_place, place,
             fmt::format("the zone `{}` is not in the region `{}`", zone, region),
             fmt::format("the zones of {} are {}", region,
                         slipway::join(zones_.regions.at(region), ", ")));
    }
  }

  // The cloud adds zones to its regions, so a name that could be a zone's is only suspicious.
  void unlisted(const std::pair<const std::string, std::vector<std::string>>& region,
                const std::string& zone, source::Span place) {
    const std::string known =
        fmt::format("the zones of {} are {}", region.first, slipway::join(region.second, ", "));
    if (!ends_like_a_zone(zone)) {
      report(zone_exists_, Code::unknown_place, place, fmt::format("there is no zone `{}`", zone),
             known);
      return;
    }
    report(std::max(zone_exists_, Level::warning), Code::zone_not_listed, place,
           fmt::format("the zone `{}` is not in Slipway's catalogue", zone),
           known + "; if it is new, `--skip-validators test_zone_exists` hides this");
  }

  void check_machine(const Module& module, const std::string& machine_type,
                     const std::string& zone) {
    const auto offered = zones_.offered.find(machine_type);
    if (offered == zones_.offered.end() || zones_.region_of(zone).empty()) return;
    if (std::ranges::find(offered->second, zone) != offered->second.end()) return;
    std::vector<std::string> near;
    for (const std::string& other : offered->second) {
      if (zones_.region_of(other) == zones_.region_of(zone)) near.push_back(other);
    }
    report(machine_in_zone_, Code::machine_not_offered, cluster::place_of(module, "machine_type"),
           fmt::format("`{}` is not offered in the zone `{}`", machine_type, zone),
           near.empty() ? fmt::format("it is offered in {}", slipway::join(offered->second, ", "))
                        : fmt::format("it is offered in {}", slipway::join(near, ", ")));
  }

  const blueprint::Deployment& deployment_;
  blueprint::Evaluation& evaluation_;
  const cluster::Zones& zones_;
  source::Diagnostics& diagnostics_;
  Level region_exists_, zone_exists_, zone_in_region_, machine_in_zone_;
  std::string region_;  // of the module that is checked
  std::set<std::pair<uint32_t, std::string>> said_;
};

}  // namespace

void check_locations(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                     const cluster::Zones& zones, source::Diagnostics& diagnostics) {
  PlaceCheck check(deployment, evaluation, zones, diagnostics);
  for (const blueprint::Group& group : deployment.groups) {
    for (const Module& module : group.modules) check.check(module);
  }
}

}  // namespace slipway::google
