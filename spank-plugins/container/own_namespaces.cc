// What a container's own namespaces need before they are of use: --container-unshare.
#include "spank-plugins/container/own_namespaces.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/error.h"
#include "common/fd.h"

namespace slipway::container {
namespace {

void turn_on_loopback() {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback = {};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (!socket || ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) != 0) {
    throw_errno("cannot turn on the container's loopback interface");
  }
}

// The node's are those of another namespace.
void mount_message_queues() {
  constexpr unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("mqueue", "/dev/mqueue", "mqueue", flags, nullptr) != 0 && errno != ENOENT) {
    throw_errno("cannot mount the container's message queues at /dev/mqueue");
  }
}

}  // namespace

int namespace_of(const std::string& word) {
  if (word == "net") return CLONE_NEWNET;
  if (word == "ipc") return CLONE_NEWIPC;
  return word == "uts" ? CLONE_NEWUTS : 0;
}

void set_up_own_namespaces(const std::vector<std::string>& unshared) {
  const auto has = [&](const char* word) {
    return std::ranges::find(unshared, word) != unshared.end();
  };
  if (has("net")) turn_on_loopback();
  if (has("ipc")) mount_message_queues();
}

}  // namespace slipway::container
