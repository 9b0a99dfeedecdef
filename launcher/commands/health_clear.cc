// slipway health clear: forget what lasts on this node until it starts again.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file_lock.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/root_program.h"
#include "launcher/health/history.h"

namespace slipway::commands {
namespace {

// Before and after a job, and in between, a look takes a moment. Deep ones are not waited for.
constexpr auto longest_look = std::chrono::seconds(10);

}  // namespace

int health_clear(Args args) {
  CommandLine line("slipway health clear", "",
                   "Clear recorded findings, such as an Xid, after you reset or inspected the GPU "
                   "(root only). The node serves again when the next checks find nothing.");
  line.example("slipway health clear", "after `nvidia-smi --gpu-reset`");
  if (!line.parse(args)) return 0;
  require_root();
  const std::filesystem::path folder = health::state_folder;
  if (!std::filesystem::exists(folder)) throw Error("nobody has looked at this node yet");
  const Fd lock = lock_within(folder / "lock", longest_look);
  if (!lock) throw Error("somebody looks at the node, for long now; try again");
  health::History history = health::load_history(folder);
  for (const health::Finding& finding : history.open) {
    fmt::print("{} {}: {}\n", finding.check, finding.device, finding.evidence);
  }
  fmt::print("forgotten: {}\n", history.open.size());
  history.open.clear();
  save_history(folder, history);
  return 0;
}

}  // namespace slipway::commands
