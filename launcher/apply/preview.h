// Previews what a deploy would change in all groups.
#pragma once

#include "launcher/apply/changes.h"
#include "launcher/apply/replacement_rules.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

// Compares definitions: `now` has the new ones, `deployed` those last applied (null if there is no
// deployment folder yet). Does not query the cloud and writes nothing. Throws Error.
std::vector<GroupChanges> preview(const Folder& now, const Folder* deployed,
                                  const ReplacementRules& rules);

// The same for a session's folder, with Terraform's plan for groups that it can plan. Writes the
// same files as a deploy before it asks for approval.
std::vector<GroupChanges> preview_with_terraform(Session& session, const ReplacementRules& rules);

std::string to_text(const std::vector<GroupChanges>& groups);

// {"schema": "slipway/plan/1", …}
nlohmann::ordered_json to_json(const std::string& deployment,
                               const std::vector<GroupChanges>& groups);

}  // namespace slipway::apply
