// What the checks of a node say, before anybody has judged it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slipway::health {

// One thing that is not as it should be. What it means is the policy's to say (policy.h).
struct Finding {
  std::string kind;      // "gpu-missing": a row of `findings` in health.yaml
  std::string device;    // "GPU 3 0000:07:00.0", "enp0s12", "/home"
  std::string evidence;  // "2 memory errors that cannot be corrected"
  std::string check;     // that found it: "gpu_ecc"
  int xid = 0;           // of kind "gpu-xid"
  bool event = false;    // it was seen once, and the next look will not see it again
};

// The kind of what users say of the node (job_report.h).
inline constexpr const char* reported_kind = "node-reported";

struct Skipped {
  std::string check, why;
};

// What a family of checks has seen: all of it is plain data, because it comes from a process that
// may have to be killed.
struct Look {
  std::vector<std::string> checks;  // that were made
  std::vector<Skipped> skipped;
  std::vector<Finding> findings;
  std::map<std::string, int64_t>
      counters;          // values that only their difference says something about
  bool complete = true;  // no family of checks failed by itself
  std::map<std::string, std::string> facts;  // "driver_version"; "recovery/0000:07:00.0": "none"

  void add(Look other);
};

nlohmann::json to_json(const Finding& finding);
Finding finding_from_json(const nlohmann::json& body);
nlohmann::json to_json(const Look& look);
Look look_from_json(const nlohmann::json& body);

}  // namespace slipway::health
