// One module's file: <module id>.tf.json.
#pragma once

#include <map>
#include <set>
#include <string>

#include "launcher/google/links.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {

// What the files of a group have in common.
struct GroupContents {
  const blueprint::Group* group = nullptr;
  size_t index = 0;
  std::set<std::string> providers;  // that its resources come from
  // What each resource of the group was made by, to find two of one name.
  std::map<std::string, const blueprint::Module*> resources;
};

// Adds to `contents`. What cannot be evaluated is a diagnostic.
Json module_file(const blueprint::Deployment& deployment, const blueprint::Module& module,
                 blueprint::Evaluation& evaluation, Links& links, GroupContents& contents,
                 source::Diagnostics& diagnostics);

}  // namespace slipway::google
