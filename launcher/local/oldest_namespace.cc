// Finds a mount namespace with a low enough number.
#include "launcher/local/oldest_namespace.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/pidfd.h"
#include "launcher/local/namespaces.h"

namespace slipway::local {
namespace {

// Newer than Debian 12's headers: linux/pidfd.h of 6.11, linux/nsfs.h of 6.18.
constexpr unsigned long pidfd_get_mnt_namespace = _IO(0xFF, 3);
constexpr unsigned long ns_get_id = _IOR(0xb7, 13, uint64_t);

constexpr int most_tries = 16;

// The number of the caller's mount namespace; empty on kernels that number namespaces in order.
std::optional<uint64_t> number_of_namespace() {
  const Fd self = open_pidfd(::getpid());
  if (!self) return std::nullopt;
  const Fd space(::ioctl(self.get(), pidfd_get_mnt_namespace, 0));
  uint64_t number = 0;
  if (!space || ::ioctl(space.get(), ns_get_id, &number) != 0) return std::nullopt;
  return number;
}

bool pin(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return ::sched_setaffinity(0, sizeof one, &one) == 0;
}

// The number that the next mount namespace made on this CPU gets; empty if none could be made.
std::optional<uint64_t> next_number_of(int cpu) {
  Pipe answer = make_pipe();
  const pid_t child = fork_child("a process");
  if (child == 0) {
    uint64_t number = 0;
    if (pin(cpu) && ::unshare(CLONE_NEWNS) == 0) number = number_of_namespace().value_or(0);
    ::_exit(::write(answer.write.get(), &number, sizeof number) == sizeof number ? 0 : 1);
  }
  answer.write.reset();
  uint64_t number = 0;
  const bool told = ::read(answer.read.get(), &number, sizeof number) == sizeof number;
  wait_for_child(child);
  return told && number > 0 ? std::optional(number) : std::nullopt;
}

struct Lowest {
  int cpu = -1;
  uint64_t number = ~uint64_t{0};
};

Lowest lowest_of(const cpu_set_t& cpus) {
  Lowest lowest;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &cpus)) continue;
    const auto number = next_number_of(cpu);
    if (number && *number < lowest.number) lowest = {cpu, *number};
  }
  return lowest;
}

}  // namespace

void become_oldest_mount_namespace() {
  cpu_set_t cpus;
  if (::sched_getaffinity(0, sizeof cpus, &cpus) != 0) throw_errno("cannot ask for our CPUs");
  for (int i = 0; i < most_tries; ++i) {
    const auto own = number_of_namespace();
    if (!own) return;
    const Lowest lowest = lowest_of(cpus);
    if (lowest.cpu < 0 || lowest.number > *own) return;
    // Each CPU's numbers only grow, and those of the other CPUs are higher already.
    const bool made = pin(lowest.cpu) && ::unshare(CLONE_NEWNS) == 0;
    const int code = errno;
    ::sched_setaffinity(0, sizeof cpus, &cpus);
    if (!made) throw_errno("cannot make a mount namespace", code);
  }
}

}  // namespace slipway::local
