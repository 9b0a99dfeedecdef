// Taking a local deployment down.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "common/error.h"
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
  // What the cluster's other users wrote belongs to the caller's subordinate ids: it takes their
  // root to remove it.
  const IdMap map = id_map_of_caller();
  const pid_t pid = start_in_new_namespaces(0, &map, [&] {
    std::filesystem::remove_all(path);
    ::_exit(0);
  });
  wait_for_end(open_pidfd(pid));
  if (std::filesystem::exists(path)) throw Error(fmt::format("cannot remove {}", path.string()));
}

}  // namespace

// It is killed: it keeps nothing that an orderly end would save, and it may be stopped or hang.
void end_supervisor(const DeploymentFolder& folder) {
  if (const Fd connection = try_to_connect(folder)) {
    end_process(open_pidfd(supervisor_pid(connection.get())));
  }
  // It may be on its way out, or on its way in. Its files are not touched while it may use them.
  for (int tries = 0; folder.life() == Life::running; ++tries) {
    if (tries == 100)
      throw Error(fmt::format("the supervisor of `{}` does not end", folder.name()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void remove(const DeploymentFolder& folder) {
  const Life life = folder.life_if_present();
  // From here on it does not stand: should we be killed, the next command finishes this.
  std::filesystem::remove(folder.plan());
  checkpoint("it does not stand any more");
  if (life == Life::running) end_supervisor(folder);
  checkpoint("nothing of it runs");
  std::filesystem::remove(folder.description());
  checkpoint("some of its files are gone");
  remove_files(folder.path());
  checkpoint("its files are gone");
}

}  // namespace slipway::local
