// Parses a blueprint's `source`: a library module, a local folder or a remote module.
#pragma once

#include <string>
#include <string_view>

namespace slipway::modules {

struct ModuleSource {
  enum class Kind {
    library,    // modules/network/vpc, also as a URL in Cluster Toolkit's repository
    local,      // ./vpc
    git,        // git::https://…, git@host:…, github.com/organization/repository
    terraform,  // other sources of Terraform's getter: registries, archives, buckets, Mercurial
    unknown,
  };
  Kind kind = Kind::unknown;
  std::string path;     // library: the module's path; local: the folder
  std::string package;  // git, terraform: what to fetch, in a normalized form
  std::string folder;   // in the package: "modules/vpc"; empty for the package itself
  std::string url;      // git: the URL for `git fetch`
  std::string ref;      // git: a branch, tag or commit; empty for the default branch

  bool is_remote() const { return kind == Kind::git || kind == Kind::terraform; }
};

// The forms of https://developer.hashicorp.com/terraform/language/modules/sources
ModuleSource parse_source(std::string_view source);

}  // namespace slipway::modules
