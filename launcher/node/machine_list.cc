// Finds a cluster's machines by their label.
#include "launcher/node/machine_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/error.h"

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr size_t longest_list = 200;  // pages, of 500 machines each

std::string string_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// A member that is an object or a list; null if it is missing.
json part_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_structured() ? *found : json();
}

bool truth_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::optional<HostMaintenance> maintenance_in(const json& instance) {
  const json notice = part_of(part_of(instance, "resourceStatus"), "upcomingMaintenance");
  if (!notice.is_object()) return std::nullopt;
  HostMaintenance maintenance;
  maintenance.start = seconds_of(string_in(notice, "windowStartTime"));
  maintenance.end = seconds_of(string_in(notice, "windowEndTime"));
  maintenance.ongoing = string_in(notice, "maintenanceStatus") == "ONGOING";
  maintenance.can_start = truth_in(notice, "canReschedule");
  return maintenance;
}

// A machine that registers by itself tells Slurm about itself in this key.
bool joins_by_itself(const json& instance) {
  for (const json& item : part_of(part_of(instance, "metadata"), "items")) {
    if (item.is_object() && string_in(item, "key") == "slipway-node-conf") return true;
  }
  return false;
}

CloudMachine machine_in(const json& instance, const std::string& project) {
  CloudMachine machine;
  machine.name = string_in(instance, "name");
  machine.project = project;
  machine.zone = last_part(string_in(instance, "zone"));
  machine.status = string_in(instance, "status");
  if (machine.name.empty() || machine.zone.empty() || machine.status.empty()) {
    throw Error("the list of machines has one without name, zone or status");
  }
  machine.nodeset = string_in(part_of(instance, "labels"), nodeset_label);
  machine.created = seconds_of(string_in(instance, "creationTimestamp"));
  const json scheduling = part_of(instance, "scheduling");
  machine.is_spot =
      truth_in(scheduling, "preemptible") || string_in(scheduling, "provisioningModel") == "SPOT";
  machine.joins = joins_by_itself(instance);
  for (const json& policy : part_of(instance, "resourcePolicies")) {
    if (policy.is_string()) machine.policies.push_back(last_part(policy));
  }
  machine.maintenance = maintenance_in(instance);
  return machine;
}

// Only what machine_in() reads: metadata contains whole scripts.
constexpr const char* wanted_fields =
    "items/*/instances(creationTimestamp,labels,metadata/items/key,name,resourcePolicies,"
    "resourceStatus/upcomingMaintenance,scheduling,status,zone),items/*/warning,nextPageToken,"
    "unreachables";

// A scope without machines says so in a warning; any other one means that there may be machines.
bool has_no_answer(const json& scope) {
  const std::string code = string_in(part_of(scope, "warning"), "code");
  return !code.empty() && code != "NO_RESULTS_ON_PAGE";
}

bool is_one_of(const std::string& status, std::initializer_list<const char*> words) {
  return std::ranges::find(words, status) != words.end();
}

}  // namespace

bool CloudMachine::is_off() const {
  return is_one_of(status, {"TERMINATED", "STOPPED", "SUSPENDED"});
}

bool CloudMachine::is_stopping() const {
  return is_one_of(status, {"STOPPING", "SUSPENDING", "DEPROVISIONING", "PENDING_STOP"});
}

std::string last_part(const std::string& link) {
  return link.substr(link.rfind('/') + 1);
}

int64_t seconds_of(const std::string& time) {
  std::tm parts = {};
  const char* rest = ::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return 0;
  while (*rest == '.' || (*rest >= '0' && *rest <= '9')) ++rest;
  int hours = 0, minutes = 0;
  if (*rest == '+' || *rest == '-') {
    const char* const end = time.c_str() + time.size();
    const auto [colon, error] = std::from_chars(rest + 1, end, hours);
    if (error != std::errc() || colon == end || *colon != ':') return 0;
    if (std::from_chars(colon + 1, end, minutes).ec != std::errc()) return 0;
  } else if (*rest != 'Z') {
    return 0;
  }
  const int64_t offset = (hours * 60 + minutes) * 60;
  return ::timegm(&parts) - (*rest == '-' ? -offset : offset);
}

void add_page(const json& page, const std::string& project, MachineList& list) {
  const json scopes = part_of(page, "items");
  if (!scopes.is_null() && !scopes.is_object()) throw Error("the list of machines has no zones");
  for (const auto& [name, scope] : scopes.items()) {
    if (!scope.is_object()) throw Error(fmt::format("the machines of {} are not a list", name));
    if (has_no_answer(scope)) list.unknown_zones.insert(last_part(name));
    for (const json& instance : part_of(scope, "instances")) {
      if (!instance.is_object()) throw Error("a machine in the list is not an object");
      list.machines.push_back(machine_in(instance, project));
    }
  }
  for (const json& scope : part_of(page, "unreachables")) {
    if (scope.is_string()) list.unknown_zones.insert(last_part(scope));
  }
}

MachineList list_machines(Cloud& cloud, const std::string& project, const std::string& cluster,
                          const Patience& patience) {
  MachineList list;
  const std::string url = fmt::format(
      "https://compute.googleapis.com/compute/v1/projects/{}/aggregated/instances"
      "?maxResults=500&filter={}&fields={}",
      url_encode(project), url_encode(fmt::format("labels.{}={}", cluster_label, cluster)),
      url_encode(wanted_fields));
  std::string token;
  for (size_t pages = 0; pages < longest_list; ++pages) {
    const json page = persist(patience, "the list of machines", [&] {
      return cloud.call("GET", token.empty() ? url : url + "&pageToken=" + url_encode(token));
    });
    add_page(page, project, list);
    token = string_in(page, "nextPageToken");
    if (token.empty()) return list;
  }
  throw Error("the list of machines is too long");
}

}  // namespace slipway::node
