// Finds the folders of the Slipway installation that the running program belongs to.
#pragma once

#include <filesystem>

namespace slipway {

// The folders below one prefix. They are found from the running code, never from the environment,
// because some of our programs run as root. Docs: docs/decisions/0002-one-layout.md.
struct Installation {
  std::filesystem::path prefix;
  std::filesystem::path programs() const { return prefix / "bin"; }
  std::filesystem::path internal_programs() const { return prefix / "libexec/slipway"; }
  std::filesystem::path spank_plugins() const { return prefix / "lib/slipway/spank"; }
  // Records collectives for --nccl-watch. Containers get its folder at the same place.
  std::filesystem::path nccl_profiler() const {
    return prefix / "lib/slipway/nccl/libnccl-profiler-slipway.so";
  }
  std::filesystem::path blueprints() const { return prefix / "share/slipway/blueprints"; }
  std::filesystem::path docs() const { return prefix / "share/doc/slipway"; }
  std::filesystem::path examples() const { return prefix / "share/slipway/examples"; }
};

// The prefix of Slipway on every node, in images and in local clusters.
inline constexpr const char* node_prefix = "/opt/slipway";

// The installation that this code belongs to: that of the SPANK plugin which asks
// (<prefix>/lib/slipway/spank/<plugin>.so), else of the running program (<prefix>/bin/<program>).
// Nothing is looked up there, so it may lack files.
Installation own_installation();

// The same, of a program. Throws Error if it is not installed.
Installation find_installation();

}  // namespace slipway
