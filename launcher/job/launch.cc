// `slipway launch`: checks the allocation, then runs the job.
#include "launcher/job/launch.h"

#include <string>
#include <utility>

#include "launcher/job/launch_checks.h"
#include "launcher/job/launcher.h"

namespace slipway::job {

int launch(const LaunchOptions& options) {
  Allocation allocation = read_allocation();
  if (!options.container.wanted) check_command(options.command.at(0));
  check_counts(options, allocation);
  const std::string warning = check_allocation(allocation, options.no_kill);
  if (!warning.empty()) Launcher::say(warning);
  if (const std::string note = heterogeneity_note(); !note.empty()) Launcher::say(note);
  return Launcher(options, std::move(allocation)).run();
}

}  // namespace slipway::job
