// The part of Compute Engine that power saving needs.
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

  // The machines whose names begin with `prefix`, and the status of each: "RUNNING", "TERMINATED",
  // …: "Instance lifecycle". Throws Error when the list is not complete.
  std::map<std::string, std::string> machines(const std::string& prefix);

  // Makes as many of the named machines as there is room for, and waits until the cloud is done
  // with it. Returns what went wrong, in the cloud's words; empty when nothing did. Which ones are
  // there then, machines() says.
  std::string make(const std::vector<std::string>& names, const std::string& instance_template);

  // Asks for it, and does not wait for it. Returns what was wrong; a machine that is not there is
  // deleted already.
  std::string start(const std::string& name);
  std::string remove(const std::string& name);

  const std::string& name() const { return name_; }

 private:
  nlohmann::json call(const std::string& method, const std::string& path,
                      const nlohmann::json& body = nullptr);
  std::string finish(nlohmann::json operation);

  Cloud& cloud_;
  std::string url_, name_;
  const Patience& patience_;
};

// "projects/P/global/instanceTemplates/T" of a link to it.
std::string template_path(const std::string& link);

}  // namespace slipway::node
