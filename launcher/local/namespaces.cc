// Starts processes in new or existing namespaces, and ends them.
#include "launcher/local/namespaces.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/child.h"
#include "common/error.h"
#include "common/file.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::local {
namespace {

// The intermediate process's report to the caller: how far it came, and a pid or an errno.
struct Report {
  enum Kind { user_namespace_made, mapped, started, failed } kind = failed;
  int value = 0;
};

void send_report(int socket, Report report) {
  [[maybe_unused]] auto n = ::write(socket, &report, sizeof report);
}

Report receive_report(int socket) {
  Report report;
  if (::read(socket, &report, sizeof report) != sizeof report) return {Report::failed, ECHILD};
  return report;
}

[[noreturn]] void run_body(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    fmt::print(stderr, "slipway: {}\n", error.what());
    std::fflush(stderr);
  }
  ::_exit(1);
}

// Runs in the intermediate process: forks the real child, reports its pid, and exits.
[[noreturn]] void fork_and_leave(int socket, const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) run_body(body);
  send_report(socket, child < 0 ? Report{Report::failed, errno} : Report{Report::started, child});
  ::_exit(0);
}

void write_map(const char* program, pid_t pid, const std::vector<IdRange>& ranges) {
  std::vector<std::string> argv = {program, std::to_string(pid)};
  for (const IdRange& range : ranges) {
    for (unsigned number : {range.inside, range.outside, range.count}) {
      argv.push_back(std::to_string(number));
    }
  }
  run_checked(argv);
}

[[noreturn]] void explain_namespace_error(int code) {
  const std::string what = "cannot make namespaces";
  if (code == EPERM) {
    throw Error(
        what +
        ": Operation not permitted; this machine or container forbids them (see the sysctls "
        "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns "
        "and user.max_user_namespaces), or this is a chroot");
  }
  throw_errno(what, code);
}

// Runs in the process that made a time namespace, for its future children. Returns 0 or an errno.
int begin_uptime() {
  timespec up = {};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  // To the nanosecond: sysinfo(2) rounds up, and a fraction of a second would make the node older
  // than Slurm's request to start it. With a negative offset, nanoseconds still count upward.
  constexpr long second = 1'000'000'000;
  const std::string offset = fmt::format("boottime {} {}\n", -up.tv_sec - (up.tv_nsec > 0 ? 1 : 0),
                                         (second - up.tv_nsec) % second);
  // A process that changed its user may not write to its own /proc files until it makes itself
  // dumpable.
  const int before = ::prctl(PR_GET_DUMPABLE);
  ::prctl(PR_SET_DUMPABLE, 1);
  const Fd offsets(::open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC));
  const bool written = offsets && ::write(offsets.get(), offset.data(), offset.size()) > 0;
  const int code = written ? 0 : errno;
  ::prctl(PR_SET_DUMPABLE, before == 1 ? 1 : 0);
  return code;
}

}  // namespace

bool has_time_namespaces() {
  static const bool has = ::access("/proc/self/ns/time", F_OK) == 0;
  return has;
}

int node_namespaces() {
  return own_namespaces | (has_time_namespaces() ? CLONE_NEWTIME : 0);
}

IdRange subordinate_range(const std::string& text, const std::string& user, unsigned uid) {
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> field = split(line, ':');
    if (field.size() != 3 || (field[0] != user && field[0] != std::to_string(uid))) continue;
    return {1, to_number<unsigned>(field[1]).value_or(0),
            to_number<unsigned>(field[2]).value_or(0)};
  }
  return {};
}

IdMap id_map_of_caller() {
  const unsigned uid = ::getuid(), gid = ::getgid();
  const passwd* entry = ::getpwuid(uid);
  const std::string user = entry != nullptr ? entry->pw_name : std::to_string(uid);
  // Slurm's account is 64030 on Debian and nobody is 65534, so all 16-bit ids are needed.
  constexpr unsigned needed = 65535;
  const auto range_in = [&](const char* file) {
    const IdRange range =
        std::filesystem::exists(file) ? subordinate_range(read_file(file), user, uid) : IdRange{};
    if (range.count < needed) {
      throw Error(
          fmt::format("user `{0}` has {1} subordinate ids in {2}, a cluster needs {3}; as root: "
                      "usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {0}",
                      user, range.count, file, needed));
    }
    return range;
  };
  return {{{0, uid, 1}, range_in("/etc/subuid")}, {{0, gid, 1}, range_in("/etc/subgid")}};
}

pid_t start_in_new_namespaces(int flags, const IdMap* map, const std::function<void()>& body) {
  SocketPair talk = make_socket_pair();
  const pid_t between = fork_child("a process");
  if (between == 0) {
    const int socket = talk.theirs.get();
    if (map != nullptr) {
      if (::unshare(CLONE_NEWUSER) != 0) {
        send_report(socket, {Report::failed, errno});
        ::_exit(1);
      }
      send_report(socket, {Report::user_namespace_made, 0});
      if (receive_report(socket).kind != Report::mapped) ::_exit(1);
      ::setgroups(0, nullptr);
      ::setresgid(0, 0, 0);
      ::setresuid(0, 0, 0);
    }
    if (::unshare(flags) != 0) {
      send_report(socket, {Report::failed, errno});
      ::_exit(1);
    }
    if (const int code = (flags & CLONE_NEWTIME) != 0 ? begin_uptime() : 0; code != 0) {
      send_report(socket, {Report::failed, code});
      ::_exit(1);
    }
    fork_and_leave(socket, body);
  }
  talk.theirs.reset();
  Report report = receive_report(talk.ours.get());
  if (report.kind == Report::user_namespace_made) {
    write_map("/usr/bin/newuidmap", between, map->users);
    write_map("/usr/bin/newgidmap", between, map->groups);
    send_report(talk.ours.get(), {Report::mapped, 0});
    report = receive_report(talk.ours.get());
  }
  ::waitpid(between, nullptr, 0);
  if (report.kind != Report::started) explain_namespace_error(report.value);
  return report.value;
}

pid_t start_in_namespaces_of(int pidfd, int flags, const std::function<void()>& body) {
  SocketPair talk = make_socket_pair();
  const pid_t between = fork_child("a process");
  if (between == 0) {
    if (::setns(pidfd, flags) != 0) {
      send_report(talk.theirs.get(), {Report::failed, errno});
      ::_exit(1);
    }
    fork_and_leave(talk.theirs.get(), body);
  }
  talk.theirs.reset();
  const Report report = receive_report(talk.ours.get());
  ::waitpid(between, nullptr, 0);
  if (report.kind != Report::started) throw_errno("cannot enter the node", report.value);
  return report.value;
}

void end_process(const Fd& pidfd) {
  kill_process(pidfd);
  wait_for_end(pidfd);
}

Fd network_namespace_of(pid_t pid) {
  const char* const mine = "/proc/thread-self/ns/net";
  const Fd process = open_pidfd(pid), before(::open(mine, O_RDONLY | O_CLOEXEC));
  if (!process || !before || ::setns(process.get(), CLONE_NEWNET) != 0) {
    throw_errno("cannot enter the network namespace of a node");
  }
  Fd network(::open(mine, O_RDONLY));
  const int code = errno;
  if (::setns(before.get(), CLONE_NEWNET) != 0) throw_errno("cannot leave the network of a node");
  if (!network) throw_errno("cannot open the network namespace of a node", code);
  return network;
}

}  // namespace slipway::local
