// Taking a local deployment down.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "common/error.h"
#include "launcher/local/control.h"
#include "launcher/local/launch.h"
#include "launcher/local/namespaces.h"

namespace slipway::local {
namespace {

// A pidfd becomes readable when the process has ended and, for PID 1 of a namespace, everything in
// it as well.
void wait_for_end(const Fd& pidfd) {
  pollfd fds[] = {{pidfd.get(), POLLIN, 0}};
  while (::poll(fds, 1, -1) < 0) {
  }
}

void end_supervisor(const DeploymentFolder& folder) {
  const Fd connection = connect_to_supervisor(folder);
  const pid_t pid = supervisor_pid(connection.get());
  const Fd pidfd = open_pidfd(pid);
  if (pidfd) {
    // It keeps nothing that an orderly end would save, and it may be stopped or hang.
    ::kill(pid, SIGKILL);
    wait_for_end(pidfd);
  }
  // Its files are not touched while it may use them.
  if (folder.life() == Life::running) {
    throw Error(
        fmt::format("the supervisor of `{}` (process {}) does not end", folder.name(), pid));
  }
}

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
  const Fd pidfd = open_pidfd(pid);
  if (pidfd) wait_for_end(pidfd);
  if (std::filesystem::exists(path)) throw Error(fmt::format("cannot remove {}", path.string()));
}

}  // namespace

void remove(const DeploymentFolder& folder) {
  if (folder.life_if_present() == Life::running) end_supervisor(folder);
  remove_files(folder.path());
}

}  // namespace slipway::local
