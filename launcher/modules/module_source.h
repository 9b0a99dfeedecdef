// What a blueprint's `source` names: a module of the library, a folder here, or one elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace slipway::modules {

struct ModuleSource {
  enum class Kind {
    library,    // modules/network/vpc, also within Cluster Toolkit's own repository
    local,      // ./vpc
    git,        // git::https://…, git@host:…, github.com/organization/repository
    terraform,  // what else Terraform's getter takes: a registry, archives, buckets, Mercurial
    unknown,
  };
  Kind kind = Kind::unknown;
  std::string path;     // library: the module's path; local: the folder
  std::string package;  // git, terraform: what is fetched, one text for every way to write it
  std::string folder;   // within the package: "modules/vpc"; empty for the whole of it
  std::string url;      // git: what `git fetch` takes
  std::string ref;      // git: a branch, tag or commit; empty for the default branch

  bool is_remote() const { return kind == Kind::git || kind == Kind::terraform; }
};

// The forms of https://developer.hashicorp.com/terraform/language/modules/sources
ModuleSource parse_source(std::string_view source);

}  // namespace slipway::modules
