// `slipway version`: prints the version, the commit, and the Slurm release that plugins are for.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/installation.h"
#include "common/requirement.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/commit.h"
#include "launcher/modules/lifetimes.h"

namespace slipway::commands {

namespace {

// The release of Cluster Toolkit that the installed modules follow; empty without an installation.
std::string toolkit_release() {
  try {
    return modules::library_version(find_installation().blueprints());
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string version_text() {
  const std::string commit = SLIPWAY_COMMIT;
  const std::string toolkit = toolkit_release();
  return fmt::format("slipway {}{}, for Slurm {}{}", SLIPWAY_VERSION,
                     commit.empty() ? "" : fmt::format(" (commit {})", commit), slurm_release(),
                     toolkit.empty() ? "" : ", modules of Cluster Toolkit " + toolkit);
}

int version(Args args) {
  bool json = false;
  CommandLine line("slipway version",
                   "Print the version of Slipway and the Slurm release it was built for.");
  line.about("The SPANK plugins of a build work with this Slurm release only.");
  line.json("", &json);
  line.example("slipway version", "print one line");
  line.example("slipway version --json | jq -r .slurm", "for a program");
  if (!line.parse(args)) return 0;
  if (json) {
    const nlohmann::ordered_json tree{{"schema", "slipway/version/1"},
                                      {"version", SLIPWAY_VERSION},
                                      {"commit", SLIPWAY_COMMIT},
                                      {"slurm", slurm_release()},
                                      {"cluster_toolkit", toolkit_release()}};
    fmt::print("{}\n", tree.dump(2));
  } else {
    fmt::print("{}\n", version_text());
  }
  return 0;
}

}  // namespace slipway::commands
