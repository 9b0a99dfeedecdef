// The part of the Compute Engine API that power saving needs.
#include "launcher/node/compute.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr size_t most_pages = 1000;  // of 500 machines each

// The first error of an operation: "QUOTA_EXCEEDED: Quota 'NVIDIA_H100_GPUS' exceeded. Limit: 8.0".
std::string first_error(const json& operation) {
  if (!operation.contains("error")) return "";
  try {
    const json& first = operation.at("error").at("errors").at(0);
    return fmt::format("{}: {}", first.value("code", "UNKNOWN"), first.value("message", ""));
  } catch (const json::exception&) {
    return "the cloud gives no reason";
  }
}

// A string in an object; empty if the object does not have it.
std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string words_of(const Refused& error) {
  return error.reason.empty() ? error.what() : fmt::format("{}: {}", error.reason, error.what());
}

}  // namespace

std::string template_path(const std::string& link) {
  const size_t begin = link.find("projects/");
  const std::string path = begin == link.npos ? link : link.substr(begin);
  return path.substr(0, path.find('?'));
}

Zone::Zone(Cloud& cloud, const std::string& project, const std::string& zone,
           const Patience& patience)
    : cloud_(cloud),
      url_(fmt::format("https://compute.googleapis.com/compute/v1/projects/{}/zones/{}", project,
                       zone)),
      name_(zone),
      patience_(patience) {}

json Zone::call(const std::string& method, const std::string& path, const json& body) {
  return persist(patience_, fmt::format("an answer from Compute Engine in {}", name_),
                 [&] { return cloud_.call(method, url_ + path, body); });
}

std::map<std::string, std::string> Zone::machines(const std::string& prefix) {
  std::map<std::string, std::string> found;
  const std::string filter = url_encode(fmt::format("name eq \"{}.*\"", prefix));
  std::string page;
  for (size_t pages = 0;; ++pages) {
    const json answer = call("GET",
                             fmt::format("/instances?maxResults=500&filter={}{}", filter,
                                         page.empty() ? "" : "&pageToken=" + url_encode(page)),
                             nullptr);
    const auto items = answer.find("items");
    if (items != answer.end() && !items->is_array()) {
      throw Error(fmt::format("the list of machines in {} is not a list", name_));
    }
    for (const json& one : items == answer.end() ? json::array() : *items) {
      const std::string name = text_of(one, "name"), status = text_of(one, "status");
      if (name.empty() || status.empty())
        throw Error(
            fmt::format("the list of machines in {} has one without name or status", name_));
      found[name] = status;
    }
    page = text_of(answer, "nextPageToken");
    if (page.empty()) return found;
    if (pages == most_pages) {
      throw Error(fmt::format("the list of machines in {} is too long", name_));
    }
  }
}

std::string Zone::finish(json operation) {
  const std::string path = "/operations/" + url_encode(text_of(operation, "name"));
  persist(patience_,
          fmt::format("the end of `{}` in {}", text_of(operation, "operationType"), name_), [&] {
            if (text_of(operation, "status") == "DONE") return;
            operation = cloud_.call("GET", url_ + path);
            if (text_of(operation, "status") != "DONE")
              throw NotYet("the operation is still running");
          });
  return first_error(operation);
}

std::string Zone::make(const std::vector<std::string>& names,
                       const std::string& instance_template) {
  json each = json::object();
  for (const std::string& name : names) each[name] = json::object();
  try {
    return finish(call("POST", "/instances/bulkInsert",
                       {{"count", std::to_string(names.size())},
                        {"minCount", "1"},
                        {"perInstanceProperties", std::move(each)},
                        {"sourceInstanceTemplate", template_path(instance_template)}}));
  } catch (const Refused& error) {
    return words_of(error);
  }
}

std::string Zone::start(const std::string& name) {
  try {
    return first_error(call("POST", fmt::format("/instances/{}/start", url_encode(name)), nullptr));
  } catch (const Refused& error) {
    return words_of(error);
  }
}

std::string Zone::remove(const std::string& name) {
  try {
    return first_error(call("DELETE", "/instances/" + url_encode(name), nullptr));
  } catch (const Refused& error) {
    return error.status == 404 ? "" : words_of(error);
  }
}

}  // namespace slipway::node
