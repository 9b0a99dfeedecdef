// A Compute Engine for unit tests: it has zones with room for machines, and answers and refuses as
// the real one documents it. https://docs.cloud.google.com/compute/docs/reference/rest/v1
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"

namespace slipway::test {

// A refusal in the form of Google's services.
node::HttpAnswer refused_with(int status, const std::string& message, const std::string& reason);

// "a b" of "a%20b".
std::string url_decoded(const std::string& text);

class FakeCompute {
 public:
  struct Instance {
    std::string zone, status = "RUNNING", physical_host{};
    nlohmann::json properties = nlohmann::json::object();  // of the bulkInsert
    std::vector<std::string> policies{};
    std::string group{};  // a managed instance group
  };

  // The time of the tests: sleeping takes none.
  std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
  node::Patience patience(std::chrono::seconds time);
  node::Cloud cloud();
  node::HttpAnswer send(const node::HttpRequest& request) { return answer(request); }

  std::map<std::string, Instance> instances;
  // How many more machines a zone has room for; a zone that is not here has room for all.
  std::map<std::string, int> room;
  // The code of the error of every bulkInsert in a place ("zone-a"), instead of its machines.
  std::map<std::string, std::string> errors;
  // The answers to the next requests whose "METHOD path" contains the text, one each.
  std::vector<std::pair<std::string, node::HttpAnswer>> trouble;
  // How many mutations are accepted before each minute ends; 0: all.
  int mutations_a_minute = 0;
  std::chrono::seconds bulk_takes{3}, delete_takes{0};
  std::map<std::string, nlohmann::json> reservations, future_reservations;  // by "P/zone/NAME"
  nlohmann::json template_scheduling = nlohmann::json::object();
  std::map<std::string, nlohmann::json> policies, groups;  // by "regions/R/NAME", "zones/Z/NAME"
  std::map<std::string, nlohmann::json> templates;         // made by requests, by name
  bool flex_has_capacity = true;
  bool lists_at_end = false;  // a machine is in lists only when its bulkInsert is done

  // "POST zones/zone-a/instances/bulkInsert", without lists and queries of operations.
  std::vector<std::string> asked;
  std::vector<nlohmann::json> bodies;  // of bulkInsert
  std::vector<std::string> said;
  int sent_together = 0;  // most requests in one send_many

  std::vector<std::string> names() const;

 private:
  node::HttpAnswer answer(const node::HttpRequest& request);
  node::HttpAnswer route(const std::string& method, const std::string& path,
                         const std::map<std::string, std::string>& query,
                         const nlohmann::json& body);
  node::HttpAnswer bulk_insert(const std::string& place, const nlohmann::json& body);
  node::HttpAnswer list(const std::string& place, const std::string& filter);
  node::HttpAnswer remove_instance(const std::string& name);
  node::HttpAnswer group_request(const std::string& method, const std::string& place,
                                 const std::string& rest, const nlohmann::json& body);
  node::HttpAnswer start_operation(const std::string& place, nlohmann::json operation,
                                   std::chrono::seconds takes);
  node::HttpAnswer operation_now(const std::string& name);
  void add_child(const std::string& group, const std::string& zone, const std::string& name,
                 const std::string& code);
  bool is_too_many(const std::string& method);
  void pass_time();

  struct Operation {
    nlohmann::json body;
    std::chrono::steady_clock::time_point done;
  };
  std::map<std::string, Operation> operations_;
  std::vector<nlohmann::json> children_;
  std::map<std::string, std::chrono::steady_clock::time_point> going_;  // deleted instances
  std::map<std::string, std::pair<std::chrono::steady_clock::time_point, Instance>> coming_;
  std::map<std::string, node::HttpAnswer> by_request_id_;
  std::chrono::steady_clock::time_point minute_{};
  int mutations_ = 0, counter_ = 0;
};

}  // namespace slipway::test
