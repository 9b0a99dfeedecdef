// Making what a deployment folder says, group by group.
#pragma once

#include <set>

#include "launcher/apply/changes.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

// Which groups.
struct Selection {
  std::set<std::string> only;  // empty: all
  std::set<std::string> skip;
  bool has(const std::string& group) const {
    return (only.empty() || only.contains(group)) && !skip.contains(group);
  }
};

// Throws UsageError when a name in these lists, each with commas between names, is none of the
// groups'.
Selection select(const std::vector<google::GroupSteps>& groups,
                 const std::vector<std::string>& only, const std::vector<std::string>& skip);

struct DeployOptions {
  Selection selection;
  bool auto_approve = false;
  bool rebuild = false;  // build images again that stand
};

// The caller holds the folder's lock. What is wrong is shown. Throws Error; the next call goes on
// from there.
void deploy(Session& session, const DeployOptions& options);

}  // namespace slipway::apply
