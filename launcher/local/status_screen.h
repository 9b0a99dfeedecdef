// Draws a deployment's nodes, faults and jobs for a terminal of a given size.
#pragma once

#include <string>
#include <vector>

#include "launcher/local/deployment_view.h"

namespace slipway::local {

struct Screen {
  size_t columns = 80;
  size_t rows = 24;
  bool color = false;
};

// At most `rows` lines of at most `columns` characters. Each node gets a line if there is room;
// otherwise nodes in the same state share one, those that need attention first. `when` goes at the
// top.
std::vector<std::string> draw_status(const DeploymentView& view, const Screen& screen,
                                     const std::string& when);

}  // namespace slipway::local
