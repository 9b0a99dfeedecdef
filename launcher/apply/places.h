// Where a group and a module stand in the blueprint: for what Terraform says about them.
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
  // Of the blueprint that the definitions were just made from.
  Places(const blueprint::Deployment& deployment, const source::Sources& sources);

  // Of the expanded blueprint that a deployment folder keeps. What cannot be found has no place.
  Places(const std::filesystem::path& folder, source::Sources& sources);

  source::Span group(const std::string& name) const;
  source::Span module(const std::string& id) const;
  const source::Sources& sources() const { return sources_; }

  // The groups whose outputs the modules of a group name, also where the value is known already and
  // stands in the definitions. Only of a deployment folder.
  std::vector<std::string> used_by(const std::string& group) const;

 private:
  const source::Sources& sources_;
  std::map<std::string, source::Span> groups_, modules_;
  std::map<std::string, std::string> group_of_;  // of each module
  std::map<std::string, std::vector<std::string>>
      references_;  // of each group: texts that name modules
};

}  // namespace slipway::apply
