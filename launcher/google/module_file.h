// One module's file: <module id>.tf.json.
#pragma once

#include <map>
#include <set>
#include <string>

#include "launcher/google/context.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {

// What the files of a group have in common.
struct GroupContents {
  const blueprint::Group* group = nullptr;
  size_t index = 0;
  std::set<std::string> providers;          // that its resources come from
  std::set<std::string> foreign_providers;  // that foreign modules in it name
  // What each resource of the group was made by, to find two of one name.
  std::map<std::string, const blueprint::Module*> resources;
};

// The resources of a module of the library. Adds to `contents`. What cannot be evaluated is a
// diagnostic.
Json module_file(Context& context, const blueprint::Module& module, GroupContents& contents);

// A file's first entry: what the file is about.
Json head(const blueprint::Module& module);

// Addresses of all that the module's `depends_on` names within the group.
Json needs_of_module(Context& context, const blueprint::Module& module, size_t group);

}  // namespace slipway::google
