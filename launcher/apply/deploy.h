// Deploys the definitions in a deployment folder, group by group.
#pragma once

#include <set>

#include "launcher/apply/changes.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

// The groups to deploy or destroy.
struct Selection {
  std::set<std::string> only;  // empty: all
  std::set<std::string> skip;
  bool has(const std::string& group) const {
    return (only.empty() || only.contains(group)) && !skip.contains(group);
  }
};

// Each list item can be several names separated by commas. Throws UsageError for an unknown group.
Selection select(const std::vector<google::GroupSteps>& groups,
                 const std::vector<std::string>& only, const std::vector<std::string>& skip);

struct DeployOptions {
  Selection selection;
  bool auto_approve = false;
  bool rebuild = false;  // rebuild existing images
};

// The caller must hold the folder's lock. Reports errors to the user, then throws Error; the next
// call resumes.
void deploy(Session& session, const DeployOptions& options);

}  // namespace slipway::apply
