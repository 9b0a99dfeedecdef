// `slipway health clear`: forgets the findings that last until this node restarts.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file_lock.h"
#include "common/locale_text.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/root_program.h"
#include "launcher/health/history.h"

namespace slipway::commands {
namespace {

// Checks of the prolog, epilog and timer end sooner; a deep check is not waited for.
constexpr auto longest_wait = std::chrono::seconds(10);

}  // namespace

int health_clear(Args args) {
  CommandLine line("slipway health clear",
                   "Clear recorded findings after you reset or inspected the GPU (root only).");
  line.about(
      "Some findings, such as an Xid, are remembered until the node restarts. Once they are "
      "cleared, Slipway resumes the node after two clean checks in a row.");
  line.example("slipway health clear", "after `nvidia-smi --gpu-reset`");
  line.example("slipway exec quickstart a3meganodeset-0 -- slipway health clear",
               "on a node of a local deployment");
  line.see_also("slipway-health(1)");
  if (!line.parse(args)) return 0;
  require_root();
  const std::filesystem::path folder = health::state_folder;
  if (!std::filesystem::exists(folder)) throw Error("this node has not been checked yet");
  const Fd lock = lock_within(folder / "lock", longest_wait);
  if (!lock) throw Error("a check of this node is still running; try again later");
  health::History history = health::load_history(folder);
  for (const health::Finding& finding : history.open) {
    fmt::print("{} {}: {}\n", finding.check, finding.device, for_locale(finding.evidence));
  }
  fmt::print("cleared: {}\n", history.open.size());
  history.open.clear();
  save_history(folder, history);
  return 0;
}

}  // namespace slipway::commands
