// Finds the folders of the Slipway installation that the running program belongs to.
#pragma once

#include <filesystem>

namespace slipway {

// The folders below one prefix. They are found from the running program, never from the
// environment, because some of our programs run as root. Docs: docs/decisions/0002-one-layout.md.
struct Installation {
  std::filesystem::path prefix;
  std::filesystem::path programs() const { return prefix / "bin"; }
  std::filesystem::path spank_plugins() const { return prefix / "lib/slipway/spank"; }
  std::filesystem::path blueprints() const { return prefix / "share/slipway/blueprints"; }
  std::filesystem::path docs() const { return prefix / "share/doc/slipway"; }
  std::filesystem::path examples() const { return prefix / "share/slipway/examples"; }
};

// The prefix of Slipway on every node, in images and in local clusters.
inline constexpr const char* node_prefix = "/opt/slipway";

// The installation that the running program belongs to (<prefix>/bin/<program>). Throws Error if
// the program is not installed.
Installation find_installation();

}  // namespace slipway
