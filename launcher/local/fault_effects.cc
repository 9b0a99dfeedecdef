// Applies faults to a running node.
#include "launcher/local/fault_effects.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "common/process_stat.h"
#include "common/text.h"
#include "launcher/local/namespaces.h"
#include "launcher/node/service_supervisor.h"

namespace slipway::local {
namespace {

namespace fs = std::filesystem;

void change_size(const fs::path& folder, uintmax_t bytes) {
  struct statvfs now = {};
  if (::statvfs(folder.c_str(), &now) != 0) throw_errno(folder.string());
  unsigned long flags = MS_REMOUNT;
  if ((now.f_flag & ST_NOSUID) != 0) flags |= MS_NOSUID;
  if ((now.f_flag & ST_NODEV) != 0) flags |= MS_NODEV;
  const std::string option = fmt::format("size={}", bytes);
  if (::mount(nullptr, folder.c_str(), nullptr, flags, option.c_str()) != 0) {
    throw_errno(fmt::format("cannot change the size of {}", folder.string()));
  }
}

uintmax_t bytes_used(const fs::path& folder) {
  struct statvfs now = {};
  if (::statvfs(folder.c_str(), &now) != 0) throw_errno(folder.string());
  return (now.f_blocks - now.f_bfree) * now.f_frsize;
}

void require_own_memory(const fs::path& folder) {
  struct statfs kind = {};
  struct stat here = {}, above = {};
  const bool is = ::statfs(folder.c_str(), &kind) == 0 && kind.f_type == TMPFS_MAGIC &&
                  ::stat(folder.c_str(), &here) == 0 &&
                  ::stat(folder.parent_path().c_str(), &above) == 0 && here.st_dev != above.st_dev;
  if (is) return;
  throw Error(fmt::format("{} is not a file system of this node", folder.string()));
}

// A file that fills the disk. It is as large as the original file system plus whatever daemons and
// jobs free while the disk should stay full.
fs::path filler_of(const fs::path& folder) {
  return folder / ".slipway-disk-full";
}

constexpr uintmax_t filler_bytes = 64 << 20;
constexpr size_t piece_bytes = 1 << 20;

// Shrinks the file system to its content and the filler, so that it uses little of the host's
// memory. Removing a file frees only that file's room.
void fill_up(const fs::path& folder) {
  require_own_memory(folder);
  struct statvfs before = {};
  if (::statvfs(folder.c_str(), &before) != 0) throw_errno(folder.string());
  const uintmax_t size = before.f_blocks * before.f_frsize;
  change_size(folder, std::min(size, bytes_used(folder) + filler_bytes));
  const Fd file(::open(filler_of(folder).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) throw_errno(fmt::format("cannot make {}", filler_of(folder).string()));
  std::string piece = fmt::format("{}\n", size);
  piece.resize(piece_bytes, ' ');
  while (::write(file.get(), piece.data(), piece.size()) > 0) {
  }
  if (errno != ENOSPC) throw_errno(fmt::format("cannot fill {}", folder.string()));
}

void make_room(const fs::path& folder) {
  require_own_memory(folder);
  if (!fs::exists(filler_of(folder))) return;
  change_size(folder, std::stoull(read_file(filler_of(folder))));
  fs::remove(filler_of(folder));
}

}  // namespace

void run_in_node(pid_t pid, int flags, const std::function<void()>& body) {
  Pipe words = make_pipe();
  const Fd pidfd = open_pidfd(pid);
  const pid_t child = start_in_namespaces_of(pidfd.get(), flags, [&] {
    try {
      unblock_signals();
      body();
      ::_exit(0);
    } catch (const std::exception& error) {
      const std::string text = error.what();
      [[maybe_unused]] const auto n = ::write(words.write.get(), text.data(), text.size());
      ::_exit(1);
    }
  });
  words.write.reset();
  std::string text;
  while (words.read) read_some(words.read, text);
  const int status = wait_for_child(child);
  if (status != 0) throw Error(text.empty() ? "a process in the node ended early" : text);
}

void freeze(pid_t pid, bool frozen) {
  run_in_node(pid, node_namespaces(), [&] {
    // Everything in this PID namespace except PID 1 and the caller.
    if (::kill(-1, frozen ? SIGSTOP : SIGCONT) != 0 && errno != ESRCH) throw_errno("kill");
  });
}

void fill_folder(pid_t pid, const std::string& folder, bool full) {
  run_in_node(pid, node_namespaces(), [&] {
    if (full) {
      fill_up(folder);
    } else {
      make_room(folder);
    }
  });
}

void keep_daemon_away(pid_t pid, const std::string& name, bool away) {
  run_in_node(pid, node_namespaces(), [&] {
    const fs::path held = fs::path(node::held_services) / name;
    if (!away) {
      fs::remove(held);
      ::kill(1, SIGHUP);  // makes PID 1 start daemons that are not running
      return;
    }
    const std::vector<pid_t> running = processes_named(name);
    if (running.empty()) throw Error(fmt::format("`{}` is not running there", name));
    make_directories(node::held_services);
    write_file(held, "");
    for (const pid_t process : running) ::kill(process, SIGKILL);
  });
}

void limit_sending(pid_t pid, const std::string& interface, const std::string& rate) {
  run_in_node(pid, CLONE_NEWNET, [&] { limit_rate(interface, rate); });
}

void limit_rate(const std::string& interface, const std::string& rate) {
  if (rate.empty()) {
    run_process({"/sbin/tc", "qdisc", "delete", "dev", interface, "root"});
  } else {
    run_checked({"/sbin/tc", "qdisc", "replace", "dev", interface, "root", "tbf", "rate", rate,
                 "burst", "128kb", "latency", "50ms"});
  }
}

}  // namespace slipway::local
