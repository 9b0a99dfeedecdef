// The part of the Compute Engine API that power saving needs.
// https://docs.cloud.google.com/compute/docs/reference/rest/v1
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"

namespace slipway::node {

// One zone of a project.
class Zone {
 public:
  Zone(Cloud& cloud, const std::string& project, const std::string& zone, const Patience& patience);

  // The machines whose names begin with `prefix`, and their status: "RUNNING", "TERMINATED", …
  // ("Instance lifecycle" in the API's documentation). Throws Error if the list is incomplete.
  std::map<std::string, std::string> machines(const std::string& prefix);

  // Makes as many of the named machines as there is capacity for, and waits until the cloud is
  // done. Returns the cloud's error message; empty if there was no error. Call machines() to see
  // which ones exist.
  std::string make(const std::vector<std::string>& names, const std::string& instance_template);

  // Requests it and does not wait. Returns the error message. Deleting a machine that does not
  // exist is not an error.
  std::string start(const std::string& name);
  std::string remove(const std::string& name);

  const std::string& name() const { return name_; }

 private:
  nlohmann::json call(const std::string& method, const std::string& path,
                      const nlohmann::json& body);
  std::string finish(nlohmann::json operation);

  Cloud& cloud_;
  std::string url_, name_;
  const Patience& patience_;
};

// "projects/P/global/instanceTemplates/T" from a link to it.
std::string template_path(const std::string& link);

}  // namespace slipway::node
