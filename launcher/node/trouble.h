// Kinds of reasons for which Compute Engine makes no machine, and what each one calls for.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slipway::node {

enum class Trouble {
  exists,    // the name has a machine, or is getting one: it counts as made
  quota,     // the project may have no more: another region or kind; or wait until some are deleted
  stockout,  // nothing left there: the next zone, the next way to buy
  passing,   // the service has trouble of its own: repeat the request
  other,     // a right is missing, a setting is wrong: a retry does not help
};

// By the code of an operation's error ("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS") or the reason
// of a refusal ("quotaExceeded"). https://docs.cloud.google.com/compute/docs/troubleshooting
Trouble trouble_of(const std::string& code);

// One reason, and the machine that it is about.
struct OperationError {
  std::string machine;  // empty: all of them
  Trouble trouble = Trouble::other;
  std::string words;  // "QUOTA_EXCEEDED: Quota 'NVIDIA_H100_GPUS' exceeded. Limit: 8.0"
};

// All errors of an operation; empty if it has none. Believes no field to be there.
std::vector<OperationError> errors_of(const nlohmann::json& operation);

// A string in an object; empty if the object does not have it.
std::string text_of(const nlohmann::json& object, const char* key);

// The last part of a link: "us-central1-a".
std::string name_in(const std::string& link);

}  // namespace slipway::node
