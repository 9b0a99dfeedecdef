// The file in which a node's keeper tells programs what is complete: $SLIPWAY_CHECKPOINTS_STATE.
// Its first line is the version; the second is "complete 120", "complete -1" or "off". Readers
// ignore further lines.
#pragma once

namespace slipway::checkpoint {

inline constexpr const char* state_variable = "SLIPWAY_CHECKPOINTS_STATE";
inline constexpr const char* state_version = "slipway checkpoints 1\n";
inline constexpr const char* state_off = "off\n";
inline constexpr const char* state_complete = "complete ";

}  // namespace slipway::checkpoint
