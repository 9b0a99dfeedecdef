// Takes a local deployment down.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "common/error.h"
#include "common/pidfd.h"
#include "launcher/local/checkpoint.h"
#include "launcher/local/control.h"
#include "launcher/local/launch.h"
#include "launcher/local/namespaces.h"

namespace slipway::local {
namespace {

void remove_files(const std::filesystem::path& path) {
  if (::geteuid() == 0) {
    std::filesystem::remove_all(path);
    return;
  }
  // Files of the cluster's other users belong to the caller's subordinate ids: only root of their
  // namespace can remove them.
  const IdMap map = id_map_of_caller();
  const pid_t pid = start_in_new_namespaces(0, &map, [&] {
    std::filesystem::remove_all(path);
    ::_exit(0);
  });
  wait_for_end(open_pidfd(pid));
  if (std::filesystem::exists(path)) throw Error(fmt::format("cannot remove {}", path.string()));
}

}  // namespace

// Kill it: an orderly shutdown would save nothing, and it may be stopped or hang.
void end_supervisor(const DeploymentFolder& folder) {
  if (const Fd connection = try_to_connect(folder)) {
    end_process(open_pidfd(supervisor_pid(connection.get())));
  }
  // It may be starting or ending. Do not touch its files while it may use them.
  for (int tries = 0; folder.run_state() == RunState::running; ++tries) {
    if (tries == 100)
      throw Error(fmt::format("the supervisor of `{}` is still running", folder.name()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void remove(const DeploymentFolder& folder) {
  const RunState state = folder.require_present();
  // From here on the deployment is incomplete: if we are killed, the next command finishes the
  // removal.
  std::filesystem::remove(folder.plan());
  checkpoint("the plan is gone");
  if (state == RunState::running) end_supervisor(folder);
  checkpoint("nothing of it runs");
  std::filesystem::remove(folder.description());
  checkpoint("some of its files are gone");
  remove_files(folder.path());
  checkpoint("its files are gone");
}

}  // namespace slipway::local
