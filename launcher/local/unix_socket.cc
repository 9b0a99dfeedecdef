// Named Unix sockets in a folder.
#include "launcher/local/unix_socket.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>

#include "common/error.h"

namespace slipway::local {
namespace {

// A socket's path is limited to 107 bytes, and a user's folder may be longer: so this names it
// through a descriptor of its folder.
class SocketAddress {
 public:
  SocketAddress(const std::filesystem::path& folder, const std::string& name)
      : directory_(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (!directory_) throw_errno(fmt::format("cannot open {}", folder.string()));
    const std::string path = fmt::format("/proc/self/fd/{}/{}", directory_.get(), name);
    address_.sun_family = AF_UNIX;
    path.copy(address_.sun_path, sizeof address_.sun_path - 1);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return sizeof address_; }

 private:
  Fd directory_;
  sockaddr_un address_ = {};
};

Fd new_socket() {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) throw_errno("socket");
  return socket;
}

}  // namespace

Fd bind_socket(const std::filesystem::path& folder, const std::string& name) {
  const SocketAddress address(folder, name);
  Fd listener = new_socket();
  const mode_t before = ::umask(0177);
  const bool bound = ::bind(listener.get(), address.get(), address.size()) == 0;
  ::umask(before);
  if (!bound) throw_errno(fmt::format("cannot make {}", (folder / name).string()));
  return listener;
}

Fd connect_to_socket(const std::filesystem::path& folder, const std::string& name) {
  Fd connection = new_socket();
  const SocketAddress address(folder, name);
  if (::connect(connection.get(), address.get(), address.size()) == 0) return connection;
  if (errno == ECONNREFUSED || errno == ENOENT) return Fd();
  throw_errno(fmt::format("cannot connect to {}", (folder / name).string()));
}

void answer_within(const Fd& connection, std::chrono::milliseconds limit) {
  const timeval time = {limit.count() / 1000, limit.count() % 1000 * 1000};
  ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

uid_t peer_user(const Fd& connection) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  const bool known = ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known ? peer.uid : static_cast<uid_t>(-1);
}

}  // namespace slipway::local
