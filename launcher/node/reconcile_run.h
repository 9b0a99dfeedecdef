// Runs the reconciler once, on the controller.
#pragma once

#include <filesystem>
#include <optional>

#include "launcher/node/cloud.h"
#include "launcher/node/machine.h"
#include "launcher/node/reconcile.h"

namespace slipway::node {

struct ReconcileOptions {
  std::optional<int64_t> longest_grace;                         // seconds; caps all graces
  bool only_show = false;                                       // say the steps and take none
  std::filesystem::path folder = "/var/lib/slipway/reconcile";  // what a run leaves for the next
};

// Says each step that it takes, in one line. A quiet cluster gives none. Returns how many steps
// failed; they are tried again in a later run. Throws Error if Slurm or the cloud does not answer:
// then nothing was changed.
int reconcile(Cloud& cloud, const Patience& patience, const ReconcileOptions& options,
              const Say& say);

// "make a machine for c-gpu-0: a static node without a machine"
std::string text_of(const Step& step);

}  // namespace slipway::node
