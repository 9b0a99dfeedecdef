// Writes the file of a module: ID.tf.json.
#pragma once

#include <map>
#include <set>
#include <string>

#include "launcher/google/context.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {

// Data that the files of a group share.
struct GroupContents {
  const blueprint::Group* group = nullptr;
  size_t index = 0;
  // Of its resources: the oldest version that can make them.
  std::map<std::string, ProviderVersion> providers;
  ProviderVersion terraform{};              // the version of Terraform itself; 0.0.0: any
  std::set<std::string> foreign_providers;  // of foreign modules in it
  // The module of each resource, by address, to find duplicate names.
  std::map<std::string, const blueprint::Module*> resources;
};

// The resources of a library module. Adds to `contents`. Reports what cannot be evaluated.
Json module_file(Context& context, const blueprint::Module& module, GroupContents& contents);

// The first entry of a file: a comment that names the module.
Json head(const blueprint::Module& module);

// The addresses of everything in the group that the module's `depends_on` names.
Json needs_of_module(Context& context, const blueprint::Module& module, size_t group);

}  // namespace slipway::google
