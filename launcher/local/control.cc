// Sends requests to a deployment's supervisor.
#include "launcher/local/control.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/local/message.h"
#include "launcher/local/unix_socket.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

}  // namespace

Fd bind_control_socket(const DeploymentFolder& folder) {
  return bind_socket(folder.path(), "control");
}

Fd try_to_connect(const DeploymentFolder& folder) try {
  if (folder.run_state() == RunState::absent) return Fd();  // it was destroyed just now
  return connect_to_socket(folder.path(), "control");
} catch (const Error& error) {
  throw error.within(fmt::format("cannot reach the supervisor of `{}`", folder.name()));
}

Fd connect_to_supervisor(const DeploymentFolder& folder) {
  const std::string& name = folder.name();
  if (folder.require_present() == RunState::dead) {
    throw Error(
        fmt::format("deployment `{0}` is dead: its supervisor was killed or the host was "
                    "restarted; `slipway deploy` restarts it with its files, `slipway destroy {0}` "
                    "removes it",
                    name));
  }
  if (Fd connection = try_to_connect(folder)) return connection;
  throw Error(fmt::format("deployment `{}` is starting or being destroyed; try again", name));
}

pid_t supervisor_pid(int connection) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    throw_errno("cannot identify the supervisor");
  }
  return peer.pid;
}

json request(const DeploymentFolder& folder, const json& body, std::chrono::milliseconds limit) {
  const Fd connection = connect_to_supervisor(folder);
  answer_within(connection, limit);
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
      result.timed_out = true;  // closing the connection hangs the command up
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
