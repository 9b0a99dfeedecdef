// Connects agents to their launcher, with proof of identity on both sides.
#include "launcher/job/agent_connection.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "common/error.h"
#include "common/tcp.h"
#include "common/tcp_frame.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds one_try = std::chrono::seconds(10);  // of a connection
constexpr milliseconds between_tries{20};

struct Connection {
  Fd socket;
  int error = 0;  // an errno if there is no socket
};

// Tries every address of `where` until `deadline`.
Connection try_to_connect(const addrinfo* where, Clock::time_point deadline) {
  int code = ETIMEDOUT;
  for (const addrinfo* each = where; each != nullptr; each = each->ai_next) {
    Fd fd = new_tcp_socket();
    code = connect_within(fd.get(), each->ai_addr, each->ai_addrlen, deadline);
    if (code == 0) return {std::move(fd)};
  }
  return {Fd(), code};
}

// Returns no socket if the launcher dropped the connection, as it does when too many peers are
// unproven. Throws Error if nobody listens, or nobody answers before `deadline`.
Fd connect_until(const std::string& host, int port, Clock::time_point deadline) {
  Connection made = try_to_connect(addresses_of(host, port).get(), deadline);
  if (!made.socket && made.error != ECONNRESET)
    throw_errno(fmt::format("cannot reach the launcher at {}:{}", host, port), made.error);
  return std::move(made.socket);
}

}  // namespace

Fd listen_for_agents() {
  Fd fd = listen_on_tcp();
  if (!fd) throw_errno("cannot listen for agents");
  return fd;
}

std::string version_mismatch(const std::string& host, const Speaker& launcher,
                             const std::string& where, const Speaker& agent) {
  return fmt::format(
      "slipway launch on {} is version {} (protocol {}), the agent {} is {} (protocol {}): "
      "install the same version on all nodes",
      host, launcher.version, launcher.protocol, where, agent.version, agent.protocol);
}

Presence probe_launcher(const std::string& host, int port, milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  Connection made;
  try {
    made = try_to_connect(addresses_of(host, port).get(), deadline);
  } catch (const Error&) {
    return Presence::silent;  // a deleted machine may no longer have an address
  }
  if (!made.socket) return made.error == ECONNREFUSED ? Presence::refused : Presence::silent;
  // A launcher sends first; for a frozen launcher, only the kernel accepts.
  const auto greeting = receive_frame(made.socket.get(), greeting_bytes, deadline);
  return greeting || Clock::now() < deadline ? Presence::answers : Presence::silent;
}

Fd connect_to_launcher(const std::string& host, int port, const Secret& key,
                       const std::string& node, milliseconds limit, const Speaker& own) {
  const std::string whom = fmt::format("the peer at {}:{}", host, port);
  for (const auto end = Clock::now() + limit;;) {
    const auto deadline = std::min(end, Clock::now() + one_try);
    Fd socket = connect_until(host, port, deadline);
    const auto greeting =
        socket ? receive_frame(socket.get(), greeting_bytes, deadline) : std::nullopt;
    const auto launcher = greeting ? speaker_of(*greeting) : std::nullopt;
    if (greeting && !launcher) throw Error(whom + " is not a launcher");
    if (greeting) {
      const std::string answer = make_answer(key, agent_purpose, own, *greeting, node);
      // Fits into the buffer of a new connection; if the connection has ended, recv() below fails.
      (void)!::send(socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
      const auto confirmation = receive_frame(socket.get(), confirmation_bytes, deadline);
      if (confirmation && !check_confirmation(key, agent_purpose, *greeting, answer, *confirmation))
        throw Error(whom + " does not have this job's key, so it is not its launcher");
      if (launcher->protocol != own.protocol)
        throw Error(version_mismatch(host, *launcher, "on " + node, own));
      if (confirmation) return socket;
    }
    if (Clock::now() + between_tries > end)
      throw Error(fmt::format("the launcher at {}:{} did not accept this agent", host, port));
    std::this_thread::sleep_for(between_tries);
  }
}

}  // namespace slipway::job
