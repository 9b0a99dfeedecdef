// Checks whether users can reach the metadata server.
#include "launcher/health/metadata_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "common/fd.h"
#include "common/file.h"
#include "common/metadata_rules.h"
#include "common/tcp.h"

namespace slipway::health {
namespace {

constexpr uid_t nobody = 65534;
constexpr std::chrono::milliseconds longest_connect{200};  // the server runs on this machine's host

// The firewall sees a socket as owned by its creator's file system uid.
Fd socket_of_nobody(int family) {
  const auto before = static_cast<uid_t>(::setfsuid(nobody));
  Fd socket;
  // setfsuid(2) reports failure in no other way.
  if (static_cast<uid_t>(::setfsuid(nobody)) == nobody) {
    socket = Fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  }
  ::setfsuid(before);
  return socket;
}

bool connects(const Fd& socket, const sockaddr* address, socklen_t size) {
  const auto deadline = std::chrono::steady_clock::now() + longest_connect;
  return connect_within(socket.get(), address, size, deadline) == 0;
}

std::optional<bool> nobody_gets_in() {
  sockaddr_in four = {};
  four.sin_family = AF_INET;
  four.sin_port = htons(80);
  ::inet_pton(AF_INET, "169.254.169.254", &four.sin_addr);
  sockaddr_in6 six = {};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(80);
  ::inet_pton(AF_INET6, "fd20:ce::254", &six.sin6_addr);
  const Fd by_four = socket_of_nobody(AF_INET);
  if (!by_four) return std::nullopt;
  if (connects(by_four, reinterpret_cast<const sockaddr*>(&four), sizeof four)) return true;
  const Fd by_six = socket_of_nobody(AF_INET6);
  return by_six && connects(by_six, reinterpret_cast<const sockaddr*>(&six), sizeof six);
}

}  // namespace

MetadataServer read_metadata_server(bool with_rules) {
  MetadataServer server;
  std::error_code trouble;
  if (std::filesystem::exists(metadata_rules_made, trouble)) {
    server.rules_made = read_file(metadata_rules_made);
  } else if (!trouble) {
    server.rules_made = "";
  }
  if (server.rules_made == metadata_is_open) return server;
  if (with_rules) server.rules_now = metadata_rules_now();
  server.user_got_in = nobody_gets_in();
  return server;
}

void check_metadata_server(const MetadataServer& server, CheckRun& run) {
  run.begin("metadata_server");
  if (server.rules_made == metadata_is_open) {
    return run.skip("the blueprint gives every user access (`metadata_users`)");
  }
  const auto find = [&](const std::string& evidence) {
    run.find("metadata-open", "metadata server", evidence);
  };
  // The connection matters most: the rules are only a means.
  if (server.user_got_in.value_or(false)) return find("an ordinary user could connect");
  if (server.rules_made == "") return find("boot did not close it to users");
  if (server.rules_now == "") return find("the rules that close it to users are gone");
  if (server.rules_made && server.rules_now &&
      are_other_rules(*server.rules_made, *server.rules_now)) {
    find("the rules that close it to users have changed since boot");
  }
}

}  // namespace slipway::health
