// Expands Slurm's host lists.
#include "launcher/node/host_names.h"

#include <chrono>

#include "common/process.h"
#include "common/text.h"

namespace slipway::node {

std::vector<std::string> host_names(const std::string& list) {
  std::vector<std::string> nodes =
      split(run_checked({"/usr/bin/scontrol", "show", "hostnames", list},
                        {.input = "", .deadline = std::chrono::seconds(15)}),
            '\n');
  std::erase(nodes, "");
  return nodes;
}

}  // namespace slipway::node
