// What the checks of a node found, before the policy judges it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slipway::health {

// Something that is not as it should be. The policy decides what it means (policy.h).
struct Finding {
  std::string kind;      // "gpu-missing": a row of `findings` in health.yaml
  std::string device;    // "GPU 3 0000:07:00.0", "enp0s12", "/home"
  std::string evidence;  // "2 uncorrectable memory errors"
  std::string check;     // the check that found it: "gpu_ecc"
  int xid = 0;           // only for kind "gpu-xid"
  bool event = false;    // seen once; the next check will not see it again
};

// The kind of users' reports about the node (job_report.h).
inline constexpr const char* reported_kind = "node-reported";

struct Skipped {
  std::string check, why;
};

// The results of a family of checks. Plain data, because it comes from a process that may have to
// be killed.
struct CheckResults {
  std::vector<std::string> checks;  // that ran
  std::vector<Skipped> skipped;
  std::vector<Finding> findings;
  std::map<std::string, int64_t> counters;   // of interest is how they change
  bool complete = true;                      // no family of checks failed to run
  std::map<std::string, std::string> facts;  // "driver_version"; "recovery/0000:07:00.0": "none"

  void add(CheckResults other);
};

nlohmann::json to_json(const Finding& finding);
Finding finding_from_json(const nlohmann::json& body);
nlohmann::json to_json(const CheckResults& results);
CheckResults results_from_json(const nlohmann::json& body);

}  // namespace slipway::health
