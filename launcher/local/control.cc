// Talking to the supervisor of a deployment.
#include "launcher/local/control.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/local/message.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// A socket's path may have 107 bytes, a user's folder may have more: it is named through a
// descriptor of its folder.
class SocketAddress {
 public:
  explicit SocketAddress(const DeploymentFolder& folder)
      : directory_(::open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (!directory_) throw_errno(fmt::format("cannot open {}", folder.path().string()));
    const std::string path = fmt::format("/proc/self/fd/{}/control", directory_.get());
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

// A supervisor that was stopped, or hangs, does not hold its clients.
void answer_within(const Fd& connection, std::chrono::seconds limit) {
  const timeval time = {limit.count(), 0};
  ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

}  // namespace

Fd bind_control_socket(const DeploymentFolder& folder) {
  const SocketAddress address(folder);
  Fd listener = new_socket();
  const mode_t before = ::umask(0177);
  const bool bound = ::bind(listener.get(), address.get(), address.size()) == 0;
  ::umask(before);
  if (!bound) throw_errno(fmt::format("cannot make {}", folder.control_socket().string()));
  return listener;
}

Fd try_to_connect(const DeploymentFolder& folder) {
  Fd connection = new_socket();
  const SocketAddress address(folder);
  if (::connect(connection.get(), address.get(), address.size()) == 0) return connection;
  if (errno == ECONNREFUSED || errno == ENOENT) return Fd();
  throw_errno(fmt::format("cannot reach the supervisor of `{}`", folder.name()));
}

Fd connect_to_supervisor(const DeploymentFolder& folder) {
  const std::string& name = folder.name();
  if (folder.life_if_present() == Life::dead) {
    throw Error(
        fmt::format("deployment `{0}` is dead: its supervisor was killed or the host was "
                    "restarted; `slipway destroy {0}` tidies up",
                    name));
  }
  if (Fd connection = try_to_connect(folder)) return connection;
  throw Error(fmt::format("deployment `{}` is about to start or to end; try again", name));
}

pid_t supervisor_pid(int connection) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    throw_errno("cannot tell who the supervisor is");
  }
  return peer.pid;
}

json request(const DeploymentFolder& folder, const json& body) {
  const Fd connection = connect_to_supervisor(folder);
  answer_within(connection, 10s);
  send_message(connection.get(), body);
  return receive_answer(connection.get()).body;
}

ProcessResult run_on_node(const DeploymentFolder& folder, const std::string& node,
                          const NodeCommand& command, std::chrono::milliseconds deadline,
                          const Interrupts* interrupts) {
  const Fd connection = connect_to_supervisor(folder);
  Pipe output = make_pipe(), errors = make_pipe();
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const json body = exec_request(node, command);
  const int streams[] = {null.get(), output.write.get(), errors.write.get()};
  send_message(connection.get(), body, streams);
  output.write.reset();
  errors.write.reset();

  ProcessResult result;
  const auto end = std::chrono::steady_clock::now() + deadline;
  for (bool answered = false; !answered || output.read || errors.read;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;  // the end of the connection hangs the command up
      return result;
    }
    pollfd fds[] = {{answered ? -1 : connection.get(), POLLIN, 0},
                    {output.read.get(), POLLIN, 0},
                    {errors.read.get(), POLLIN, 0},
                    {interrupts != nullptr ? interrupts->fd() : -1, POLLIN, 0}};
    if (::poll(fds, 4, static_cast<int>(left.count())) < 0 && errno != EINTR) throw_errno("poll");
    if (interrupts != nullptr) interrupts->check();
    if (fds[1].revents != 0) read_some(output.read, result.output);
    if (fds[2].revents != 0) read_some(errors.read, result.errors);
    if (fds[0].revents != 0) {
      result.exit_code = receive_answer(connection.get()).body.at("exit_code");
      answered = true;
    }
  }
  return result;
}

}  // namespace slipway::local
