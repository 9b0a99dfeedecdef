// A deployment on a terminal of a given size: nodes, faults and jobs.
#pragma once

#include <string>
#include <vector>

#include "launcher/local/deployment_view.h"

namespace slipway::local {

struct Screen {
  size_t columns = 80;
  size_t rows = 24;
  bool colour = false;
};

// At most `rows` lines of at most `columns` characters. Each node has a line where there is room;
// otherwise nodes of like state share one, those that need somebody first. `when` stands at the
// top.
std::vector<std::string> draw_status(const DeploymentView& view, const Screen& screen,
                                     const std::string& when);

}  // namespace slipway::local
