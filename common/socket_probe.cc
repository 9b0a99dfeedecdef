// Tests whether a program accepts connections at a socket.
#include "common/socket_probe.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/fd.h"

namespace slipway {
namespace {

namespace fs = std::filesystem;

// `name` is a path, or the name of an abstract socket, which begins with a zero byte.
bool accepts(std::string_view name) {
  sockaddr_un address = {};
  if (name.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path);
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  return fd && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0;
}

}  // namespace

bool socket_answers(const std::string& socket, const fs::path& root) {
  if (socket.starts_with('@')) return accepts(std::string(1, '\0') + socket.substr(1));
  const fs::path path = root / fs::path(socket).relative_path();
  if (path.filename() != "*") return accepts(path.string());
  std::error_code none;
  return std::ranges::any_of(fs::directory_iterator(path.parent_path(), none),
                             [](const fs::directory_entry& entry) {
                               std::error_code gone;
                               return entry.is_socket(gone) && accepts(entry.path().string());
                             });
}

}  // namespace slipway
