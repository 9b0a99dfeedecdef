// Kinds of reasons for which Compute Engine makes no machine.
#include "launcher/node/trouble.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

namespace slipway::node {
namespace {

using nlohmann::json;

struct TroubleWord {
  const char* part;  // of the code, without case and underscores
  Trouble trouble;
};

// The first one that occurs in the code counts.
constexpr std::array trouble_words = {
    TroubleWord{"alreadyexists", Trouble::exists},
    TroubleWord{"ratelimit", Trouble::passing},
    TroubleWord{"operationrate", Trouble::passing},
    TroubleWord{"concurrentoperations", Trouble::passing},
    TroubleWord{"quota", Trouble::quota},
    TroubleWord{"resourcepoolexhausted", Trouble::stockout},
    TroubleWord{"stockout", Trouble::stockout},
    TroubleWord{"resourceexhausted", Trouble::stockout},
    TroubleWord{"resourcesunavailable", Trouble::stockout},
    TroubleWord{"mincountnotreached", Trouble::stockout},
    TroubleWord{"internalerror", Trouble::passing},
    TroubleWord{"backenderror", Trouble::passing},
    TroubleWord{"notready", Trouble::passing},
};

// "quotaExceeded" and "QUOTA_EXCEEDED" are the same.
std::string without_style(const std::string& code) {
  std::string out;
  for (const char c : code) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') out += c;
  }
  return out;
}

}  // namespace

Trouble trouble_of(const std::string& code) {
  const std::string plain = without_style(code);
  for (const TroubleWord& word : trouble_words) {
    if (plain.find(word.part) != std::string::npos) return word.trouble;
  }
  return Trouble::other;
}

std::vector<OperationError> errors_of(const json& operation) {
  std::vector<OperationError> found;
  const auto error = operation.find("error");
  if (error == operation.end() || error->is_null()) return found;
  const bool is_about_one = text_of(operation, "operationType") == "insert";
  const std::string machine = is_about_one ? name_in(text_of(operation, "targetLink")) : "";
  const auto errors = error->is_object() ? error->find("errors") : error->end();
  if (errors != error->end() && errors->is_array()) {
    for (const json& one : *errors) {
      if (!one.is_object()) continue;
      const std::string code = text_of(one, "code"), message = text_of(one, "message");
      if (code.empty() && message.empty()) continue;
      found.push_back({machine, trouble_of(code),
                       fmt::format("{}: {}", code.empty() ? "UNKNOWN" : code, message)});
    }
  }
  if (found.empty()) found.push_back({machine, Trouble::other, "the cloud gives no reason"});
  return found;
}

std::string text_of(const json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string name_in(const std::string& link) {
  return link.substr(link.rfind('/') + 1);
}

}  // namespace slipway::node
