// Which of the kernel's features that local clusters need can be used here and by this user.
#pragma once

#include <string>
#include <vector>

namespace slipway::local {

// Whether "/" is not the root of our mount namespace, as in a chroot(2). Nodes are found from the
// root of the mount namespace, so commands could not enter them.
bool is_in_chroot();

// Whether every id maps to itself. Elsewhere root is not the machine's, and an overlay needs the
// option `userxattr`.
bool is_in_initial_user_namespace();

struct KernelFeature {
  std::string name;     // "overlay file systems"
  std::string problem;  // why it cannot be used: "Operation not permitted"; empty: it can
};

// Tries each feature in a child with namespaces of its own. The first are the namespaces; without
// them, the others are not tried.
std::vector<KernelFeature> try_kernel_features();

}  // namespace slipway::local
