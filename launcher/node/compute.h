// The part of the Compute Engine API that power saving needs.
// https://docs.cloud.google.com/compute/docs/reference/rest/v1
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"

namespace slipway::node {

// A project. Paths are relative to it: "zones/us-central1-a/instances/c-gpu-0". What may pass is
// tried again as long as the patience lasts. Throws Refused, or Error when time is up.
class Compute {
 public:
  Compute(Cloud& cloud, std::string project, const Patience& patience)
      : cloud_(cloud), project_(std::move(project)), patience_(patience) {}

  nlohmann::json get(const std::string& path);
  nlohmann::json post(const std::string& path, const nlohmann::json& body);
  nlohmann::json remove(const std::string& path);
  // What has no place in version 1 of the API yet.
  nlohmann::json post_beta(const std::string& path, const nlohmann::json& body);

  // Everything in all pages of a list. `query` begins with "filter=…" or "fields=…". Throws Error
  // if the list is incomplete.
  nlohmann::json list(const std::string& path, const std::string& query);

  std::string url(const std::string& path) const;
  const Patience& patience() const { return patience_; }
  Cloud& cloud() { return cloud_; }

 private:
  nlohmann::json call(const std::string& method, const std::string& url,
                      const nlohmann::json& body);

  Cloud& cloud_;
  std::string project_;
  const Patience& patience_;
};

// A machine as the cloud lists it.
struct Machine {
  std::string zone;
  std::string status;         // "RUNNING", … ("Instance lifecycle" in the API's documentation)
  std::string physical_host;  // "/cluster/rack/host"; empty: not known, or not yet
  std::vector<std::string> policies{};  // names of its resource policies

  bool is_off() const;       // stopped, and can be started
  bool is_stopping() const;  // only when it has stopped, the name can be used again
};

using MachinesByName = std::map<std::string, Machine>;

// The machines in these zones whose names begin with `prefix`. Throws Error unless the list is
// complete.
MachinesByName list_machines_named(Compute& compute, const std::vector<std::string>& zones,
                                   const std::string& prefix);

// "projects/P/global/instanceTemplates/T" from a link to it.
std::string template_path(const std::string& link);

// "us-central1" of "us-central1-a".
std::string region_of(const std::string& zone);

}  // namespace slipway::node
