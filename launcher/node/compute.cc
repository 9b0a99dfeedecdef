// The part of the Compute Engine API that power saving needs.
#include "launcher/node/compute.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/node/trouble.h"

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr size_t most_pages = 1000;  // of 500 items each

constexpr const char* service = "https://compute.googleapis.com/compute";

// Only what machine_from() reads: metadata contains whole scripts.
constexpr const char* machine_fields =
    "items(name,status,resourcePolicies,resourceStatus/physicalHost),nextPageToken";

bool is_among(const std::string& status, std::initializer_list<const char*> words) {
  return std::ranges::find(words, status) != words.end();
}

Machine machine_from(const json& item, const std::string& zone) {
  Machine machine{zone, text_of(item, "status"), ""};
  if (const auto status = item.find("resourceStatus"); status != item.end()) {
    machine.physical_host = text_of(*status, "physicalHost");
  }
  const auto policies = item.find("resourcePolicies");
  if (policies == item.end() || !policies->is_array()) return machine;
  for (const json& policy : *policies) {
    if (policy.is_string()) machine.policies.push_back(name_in(policy));
  }
  return machine;
}

}  // namespace

std::string template_path(const std::string& link) {
  const size_t begin = link.find("projects/");
  const std::string path = begin == link.npos ? link : link.substr(begin);
  return path.substr(0, path.find('?'));
}

std::string region_of(const std::string& zone) {
  return zone.substr(0, zone.rfind('-'));
}

bool Machine::is_off() const {
  return is_among(status, {"TERMINATED", "STOPPED", "SUSPENDED"});
}

bool Machine::is_stopping() const {
  return is_among(status, {"STOPPING", "SUSPENDING", "DEPROVISIONING", "PENDING_STOP"});
}

std::string Compute::url(const std::string& path) const {
  return fmt::format("{}/v1/projects/{}/{}", service, project_, path);
}

json Compute::call(const std::string& method, const std::string& url, const json& body) {
  return persist(patience_, "an answer from Compute Engine",
                 [&] { return cloud_.call(method, url, body); });
}

json Compute::get(const std::string& path) {
  return call("GET", url(path), nullptr);
}

json Compute::post(const std::string& path, const json& body) {
  return call("POST", url(path), body);
}

json Compute::post_beta(const std::string& path, const json& body) {
  return call("POST", fmt::format("{}/beta/projects/{}/{}", service, project_, path), body);
}

json Compute::remove(const std::string& path) {
  return call("DELETE", url(path), nullptr);
}

json Compute::list(const std::string& path, const std::string& query) {
  json all = json::array();
  std::string page;
  for (size_t pages = 0; pages < most_pages; ++pages) {
    const json answer = get(fmt::format("{}?maxResults=500&{}{}", path, query,
                                        page.empty() ? "" : "&pageToken=" + url_encode(page)));
    const auto items = answer.find("items");
    if (items != answer.end() && !items->is_array()) {
      throw Error(fmt::format("the list of {} is not a list", path));
    }
    if (items != answer.end()) all.insert(all.end(), items->begin(), items->end());
    page = text_of(answer, "nextPageToken");
    if (page.empty()) return all;
  }
  throw Error(fmt::format("the list of {} is too long", path));
}

MachinesByName list_machines_named(Compute& compute, const std::vector<std::string>& zones,
                                   const std::string& prefix) {
  MachinesByName found;
  const std::string query =
      fmt::format("filter={}&fields={}", url_encode(fmt::format("name eq \"{}.*\"", prefix)),
                  url_encode(machine_fields));
  for (const std::string& zone : zones) {
    for (const json& item : compute.list(fmt::format("zones/{}/instances", zone), query)) {
      const std::string name = text_of(item, "name");
      if (name.empty() || text_of(item, "status").empty()) {
        throw Error(fmt::format("the list of machines in {} has one without name or status", zone));
      }
      found[name] = machine_from(item, zone);
    }
  }
  return found;
}

}  // namespace slipway::node
