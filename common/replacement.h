// How machines of running nodes are replaced after a change of their template.
#pragma once

#include <algorithm>

namespace slipway {

// At most this share of a nodeset's static nodes is off duty at a time, one node at least.
inline constexpr int replaced_percent = 10;

constexpr int replaced_at_once(int static_nodes) {
  return std::max(1, static_nodes * replaced_percent / 100);
}

}  // namespace slipway
