// Finds and deletes groups of flex-start machines.
#include "launcher/node/flex_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "launcher/node/delete_machines.h"
#include "launcher/node/trouble.h"

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr size_t most_flex_pages = 1000;

std::string flex_filter(const std::string& cluster) {
  return "filter=" + url_encode(fmt::format("name eq \"{}-.*-flex-.*\"", cluster));
}

// "zones/us-central1-a": {"instanceGroupManagers": [{"name": …}]}
void add_groups(const json& page, const std::string& cluster, std::vector<MadeGroup>& groups) {
  const auto scopes = page.find("items");
  if (scopes == page.end()) return;
  if (!scopes->is_object()) throw Error("the list of instance groups has no places");
  for (const auto& [place, scope] : scopes->items()) {
    const json rows =
        scope.is_object() ? scope.value("instanceGroupManagers", json::array()) : json::array();
    for (const json& row : rows) {
      const std::string name = row.is_object() ? text_of(row, "name") : "";
      if (!nodeset_of_flex(cluster, name).empty()) groups.push_back({place, name});
    }
  }
}

std::vector<std::string> urls_of(Compute& compute, const std::vector<MadeGroup>& groups) {
  std::vector<std::string> urls;
  for (const MadeGroup& group : groups) urls.push_back(compute.url(group.path()));
  return urls;
}

void require_deleted(Compute& compute, const std::vector<std::string>& urls) {
  const auto failed = delete_all(compute.cloud(), urls, compute.patience());
  if (!failed.empty()) throw Error(failed.begin()->second);
}

}  // namespace

std::string nodeset_of_flex(const std::string& cluster, const std::string& name) {
  constexpr std::string_view middle = "-flex-";
  const size_t at = name.rfind(middle);
  if (at == name.npos || !name.starts_with(cluster + "-") || at <= cluster.size()) return "";
  const std::string nodeset = name.substr(cluster.size() + 1, at - cluster.size() - 1);
  const std::vector<std::string> rest = split(name.substr(at + middle.size()), '-');
  const auto all_in = [](const std::string& text, const char* letters) {
    return !text.empty() && text.find_first_not_of(letters) == text.npos;
  };
  const bool fits = rest.size() == 2 && (rest[0] == "none" || all_in(rest[0], "0123456789")) &&
                    rest[1].size() == 6 && all_in(rest[1], "0123456789abcdef");
  return fits && nodeset.find('-') == nodeset.npos ? nodeset : "";
}

std::vector<MadeGroup> list_flex_groups(Compute& compute, const std::string& cluster) {
  std::vector<MadeGroup> groups;
  const std::string path = fmt::format(
      "aggregated/instanceGroupManagers?maxResults=500&{}&fields={}", flex_filter(cluster),
      url_encode("items/*/instanceGroupManagers(name),nextPageToken"));
  std::string token;
  for (size_t pages = 0; pages < most_flex_pages; ++pages) {
    const json page = compute.get(token.empty() ? path : path + "&pageToken=" + url_encode(token));
    add_groups(page, cluster, groups);
    token = text_of(page, "nextPageToken");
    if (token.empty()) return groups;
  }
  throw Error("the list of instance groups is too long");
}

std::set<std::string> nodes_of_group(Compute& compute, const MadeGroup& group) {
  std::set<std::string> nodes;
  for (const json& request :
       compute.list(group.path() + "/resizeRequests", "fields=items,nextPageToken")) {
    for (const json& one : request.value("instances", json::array())) {
      if (one.is_object()) nodes.insert(text_of(one, "name"));
    }
  }
  return nodes;
}

void delete_flex_groups(Compute& compute, const std::string& cluster,
                        const std::vector<MadeGroup>& groups) {
  require_deleted(compute, urls_of(compute, groups));
  std::set<std::string> left;
  persist(compute.patience(), "the end of groups of flex-start machines", [&] {
    left.clear();
    for (const MadeGroup& group : list_flex_groups(compute, cluster)) left.insert(group.name);
    for (const MadeGroup& group : groups) {
      if (left.contains(group.name)) throw NotYet(group.name + " still exists");
    }
  });
  std::vector<std::string> templates;
  for (const json& one : compute.list("global/instanceTemplates",
                                      flex_filter(cluster) + "&fields=items/name,nextPageToken")) {
    const std::string name = text_of(one, "name");
    if (nodeset_of_flex(cluster, name).empty() || left.contains(name)) continue;
    templates.push_back(compute.url("global/instanceTemplates/" + url_encode(name)));
  }
  require_deleted(compute, templates);
}

}  // namespace slipway::node
