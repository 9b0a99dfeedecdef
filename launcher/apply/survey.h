// What a deploy would do to all groups, before anything is done.
#pragma once

#include "launcher/apply/changes.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

// By the definitions alone: `now` has those to be deployed, `deployed` what was done (null: there
// is no such folder yet). Nothing is asked and nothing is written. Throws Error.
std::vector<GroupChanges> survey(const Folder& now, const Folder* deployed);

// The same of a session's folder, and where Terraform can plan a group, by its plan. Writes as a
// deploy does until it asks.
std::vector<GroupChanges> survey_with_terraform(Session& session);

std::string to_text(const std::vector<GroupChanges>& groups);

// {"schema": "slipway/plan/1", …}
nlohmann::ordered_json to_json(const std::string& deployment,
                               const std::vector<GroupChanges>& groups);

}  // namespace slipway::apply
