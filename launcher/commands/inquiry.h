// Asks Google Cloud questions whose answers may be refusals, which are findings.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"

namespace slipway::commands {

struct Reply {
  nlohmann::json body;       // null if there is no answer
  int status = 200;          // HTTP status; 0: no answer within the patience
  std::string problem;       // why there is none: the service's own message
  bool is_disabled = false;  // as the service is not enabled in the project

  bool is_ok() const { return problem.empty(); }
};

class Inquiry {
 public:
  explicit Inquiry(node::Cloud& cloud, std::chrono::seconds patience = std::chrono::seconds(10))
      : cloud_(cloud), patience_(patience) {}

  // Each of them retries as long as a retry may help and the patience lasts. Does not throw.
  Reply get(const std::string& url);
  Reply post(const std::string& url, const nlohmann::json& body);

 private:
  Reply ask(const std::string& method, const std::string& url, const nlohmann::json& body);

  node::Cloud& cloud_;
  std::chrono::seconds patience_;
  bool cut_off_ = false;  // there was no answer at all: further questions would only wait
};

// The member of an object; a string or number as text, "" if there is none. Answers are not
// trusted to have the right types.
std::string text_at(const nlohmann::json& object, const char* key);
double number_at(const nlohmann::json& object, const char* key);
// The list of a member; empty if there is none.
std::vector<nlohmann::json> list_at(const nlohmann::json& object, const char* key);

}  // namespace slipway::commands
