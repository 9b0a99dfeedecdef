// Collects the recommended variables for a job. Earlier sources win over later ones.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/node_profile.h"

namespace slipway::nccl_env {

struct Advice {
  std::string name;
  std::string value;
  std::string source;    // "--nccl-watch", "plugstack.conf", "vendor", "transport"
  std::string why;       // for `--nccl-env=show`
  bool prepend = false;  // a folder that goes first in a list of folders
};

struct Sources {
  std::map<std::string, std::string> administrators;  // from plugstack.conf
  bool several_nodes = false;
  bool watch = false;  // --nccl-watch
};

struct Advised {
  std::vector<Advice> advice;         // at most one per name
  std::vector<std::string> warnings;  // shown to the job: what was skipped, and why
};

// Reads the vendor profile with the caller's rights.
Advised collect_advice(const NodeProfile& profile, const Sources& sources);

}  // namespace slipway::nccl_env
