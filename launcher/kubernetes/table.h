// kubernetes.yaml of the catalogue: which settings name manifests, and which objects name others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::kubernetes {

// A setting that names a manifest. Members of its value are by name; empty: it has no such member.
struct ManifestSetting {
  std::string module, setting;
  bool list = false;  // it is a list of such values
  std::string path, content, variables, space, enabled;
  std::string default_space;  // the namespace of objects that do not say theirs
};

// A field of an object that holds the name of another object.
struct Reference {
  std::vector<std::string> from;       // kinds
  std::vector<std::string> at;         // keys; "[]": each entry of a list
  std::string to;                      // a kind
  std::vector<std::string> condition;  // a field that must be `to`; empty: always
  bool same_namespace = false;
};

// A program that defines the objects of a group.
struct Program {
  std::string name, group;
  std::string module, setting;  // whose `install` installs it
  std::string absent_in;        // the module that makes clusters without it
};

struct Table {
  std::vector<ManifestSetting> manifests;
  std::vector<Reference> references;
  std::vector<Program> programs;
};

// Problems with the file go to `diagnostics` (E0902).
Table load_table(const std::filesystem::path& catalogue, source::Sources& sources,
                 source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
