// The places of groups and modules in the blueprint, where errors from Terraform are reported.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/google/definitions.h"

namespace slipway::apply {

class Places {
 public:
  // For a blueprint that was just compiled.
  Places(const blueprint::Deployment& deployment, const source::Sources& sources);

  // For the expanded blueprint in a deployment folder. Anything not found has an empty span.
  Places(const std::filesystem::path& folder, source::Sources& sources);

  source::Span group(const std::string& name) const;
  source::Span module(const std::string& id) const;
  const source::Sources& sources() const { return sources_; }

  // The groups whose outputs the modules of a group use, including outputs with values that are
  // already known. Only for a deployment folder.
  std::vector<std::string> used_by(const std::string& group) const;

 private:
  const source::Sources& sources_;
  std::map<std::string, source::Span> groups_, modules_;
  std::map<std::string, std::string> group_of_;  // of each module
  std::map<std::string, std::vector<std::string>>
      references_;  // for each group, the strings that refer to modules
};

}  // namespace slipway::apply
