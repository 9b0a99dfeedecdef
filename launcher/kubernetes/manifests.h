// The manifests that the modules of a blueprint apply to Kubernetes clusters.
#pragma once

#include <string>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/kubernetes/object.h"
#include "launcher/kubernetes/table.h"

namespace slipway::kubernetes {

struct Manifests {
  std::vector<Object> objects;
  std::vector<std::string> not_read;  // "manifests of `queues` are not checked: https://…"
  // There are others, which no file of the blueprint contains, so names may be theirs.
  bool complete = true;
};

// Reads the files, folders and texts that settings name. Files of ghpc_stage() that do not exist
// are reported elsewhere. Addresses are never fetched.
Manifests read_manifests(blueprint::Evaluation& evaluation, const Table& table,
                         source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
