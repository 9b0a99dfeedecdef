// slurmd as a service of systemd on a site's nodes.
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/node_answers.h"

namespace slipway::hosts {

// Asks a node for its state: `systemctl show`, which succeeds for units that do not exist, too.
std::vector<std::string> ask_for_slurmd_unit();

// Why restarting this unit would not restart the node's slurmd, or would end jobs; empty if it does
// what it should. `answer`: what the node said to ask_for_slurmd_unit().
std::string why_not_restart(const NodeAnswer& answer);

std::vector<std::string> restart_slurmd_unit();

}  // namespace slipway::hosts
