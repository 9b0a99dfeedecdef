#include "launcher/local/oldest_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "common/fd.h"
#include "tests/unit/catch.h"

using namespace slipway;

namespace {

void pin(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

// Without it, a user can make no file in the namespace.
void map_to_root(uid_t uid, gid_t gid) {
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1\n";
  std::ofstream("/proc/self/gid_map") << "0 " << gid << " 1\n";
}

// As slurmstepd does: keeps a namespace that a child makes as a file in ours.
bool can_keep_a_namespace_of(int cpu) {
  Pipe made = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    pin(cpu);
    if (::unshare(CLONE_NEWNS) != 0 || ::write(made.write.get(), "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  bool kept = ::read(made.read.get(), &byte, 1) == 1;
  const std::string space = "/proc/" + std::to_string(child) + "/ns/mnt";
  kept = kept && ::mount(space.c_str(), "/tmp/kept", nullptr, MS_BIND, nullptr) == 0;
  if (kept) ::umount2("/tmp/kept", MNT_DETACH);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return kept;
}

// In a separate process, with its own mount namespace made on `cpu`.
int namespaces_not_kept(int cpu, const cpu_set_t& cpus) {
  const pid_t child = ::fork();
  if (child == 0) {
    pin(cpu);
    const uid_t uid = ::geteuid();
    const gid_t gid = ::getegid();
    if (::unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(100);
    ::sched_setaffinity(0, sizeof cpus, &cpus);
    if (uid != 0) map_to_root(uid, gid);
    if (::mount(nullptr, "/", nullptr, MS_PRIVATE | MS_REC, nullptr) != 0) ::_exit(101);
    local::become_oldest_mount_namespace();
    if (::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr) != 0) ::_exit(102);
    ::close(::open("/tmp/kept", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    int failed = 0;
    for (int other = 0; other < CPU_SETSIZE; ++other) {
      if (CPU_ISSET(other, &cpus) && !can_keep_a_namespace_of(other)) ++failed;
    }
    ::_exit(failed);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("oldest namespace: can keep a namespace made on any CPU") {
  cpu_set_t cpus;
  REQUIRE(::sched_getaffinity(0, sizeof cpus, &cpus) == 0);
  for (int cpu = 0; cpu < CPU_SETSIZE && cpu < 16; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) CHECK(namespaces_not_kept(cpu, cpus) == 0);
  }
}
