// Asks NCCL's RAS service. Its protocol: NVIDIA/nccl, src/ras/client_support.cc.
#include "common/nccl_ras.h"

#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/fd.h"
#include "common/socket_owner.h"
#include "common/tcp.h"
#include "common/text.h"

namespace slipway {
namespace {

constexpr size_t longest_answer = size_t{256} << 10;
// A stopped process accepts connections and never answers. All processes of a user share the port,
// so the next connection may reach another one.
constexpr int most_tries = 4;
constexpr double share_of_try = 0.25;  // of the time, for the first words
// How long RAS itself waits for other processes; its default is 5.
constexpr const char* timeout_question = "TIMEOUT 1\n";
constexpr const char* status_question = "VERBOSE STATUS\n";

struct RasPlace {
  std::string host = "localhost", port = "28028";
};

RasPlace place_of(const std::string& address) {
  if (address.empty()) return {};
  const size_t colon = address.rfind(':');
  RasPlace place = {address.substr(0, colon), ""};
  if (colon != address.npos) place.port = address.substr(colon + 1);
  if (place.host.starts_with('[') && place.host.ends_with(']'))
    place.host = place.host.substr(1, place.host.size() - 2);
  if (place.host.empty() || !to_number<uint16_t>(place.port))
    throw Error(fmt::format("{} is not HOST:PORT", ras_lines(address).empty()
                                                       ? "the address"
                                                       : ras_lines(address).front()));
  return place;
}

Deadline after(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(seconds));
}

struct Address {
  sockaddr_storage name = {};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
  std::string text() const {  // "127.0.0.1:28028"
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (::getnameinfo(get(), size, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0)
      return "its port";
    return name.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host, port)
                                      : fmt::format("{}:{}", host, port);
  }
};

// `localhost` may be ::1 or 127.0.0.1, and NCCL listens on the one that its host names first.
std::vector<Address> addresses_to_try(const RasPlace& place) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  std::vector<Address> addresses;
  for (const std::string& host : place.host == "localhost"
                                     ? std::vector<std::string>{"localhost", "127.0.0.1", "::1"}
                                     : std::vector<std::string>{place.host}) {
    addrinfo* found = nullptr;
    if (const int failed = ::getaddrinfo(host.c_str(), place.port.c_str(), &hints, &found);
        failed != 0) {
      if (host == place.host && host != "localhost")
        throw Error(fmt::format("cannot resolve {}: {}", host, ::gai_strerror(failed)));
      continue;
    }
    const Addresses all(found, ::freeaddrinfo);
    for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next) {
      Address address;
      address.size = each->ai_addrlen;
      std::memcpy(&address.name, each->ai_addr, each->ai_addrlen);
      if (std::ranges::find(addresses, address.text(), &Address::text) == addresses.end())
        addresses.push_back(address);
    }
  }
  return addresses;
}

// To the first address that accepts. Those before it are dropped.
Fd connect_to_any(const RasPlace& place, std::vector<Address>& addresses, Deadline deadline) {
  int code = 0;
  while (!addresses.empty()) {
    const Address& first = addresses.front();
    Fd socket(::socket(first.name.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket) {  // a host may have no IPv6
      const int failed = connect_within(socket.get(), first.get(), first.size, deadline);
      if (failed == 0) return socket;
      code = failed;
    }
    addresses.erase(addresses.begin());
  }
  throw Error(fmt::format("cannot connect to {}:{}: {}", place.host, place.port,
                          std::strerror(code == 0 ? EADDRNOTAVAIL : code)));
}

// Throws ForeignRas unless the process that has answered is the user's own. NCCL listens on its own
// host; of other hosts, nobody can tell whose process it is.
void check_owner(int socket, const Address& address) {
  const auto owner = owner_of_peer(socket);
  if (!owner) throw ForeignRas("cannot tell which user listens on " + address.text());
  if (*owner != ::geteuid())
    throw ForeignRas(fmt::format("another user (uid {}) listens on {}", *owner, address.text()));
}

void say(int socket, std::string_view words, Deadline deadline) {
  while (!words.empty()) {
    const ssize_t sent = ::send(socket, words.data(), words.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      words.remove_prefix(static_cast<size_t>(sent));
    } else if ((errno != EAGAIN && errno != EINTR) || !wait_for(socket, POLLOUT, deadline)) {
      throw Error("it takes no question");
    }
  }
}

// Until the other side has ended, the limits, or after a line.
std::string hear(int socket, Deadline deadline, bool is_line) {
  std::string text;
  while (text.size() < longest_answer && (!is_line || text.find('\n') == text.npos)) {
    if (!wait_for(socket, POLLIN, deadline)) break;
    char some[4096];
    const ssize_t got = ::recv(socket, some, sizeof some, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) break;
    text.append(some, static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

std::string ask_ras(const std::string& address, double limit_seconds) {
  const RasPlace place = place_of(address);
  const Deadline end = after(limit_seconds);
  std::vector<Address> addresses = addresses_to_try(place);
  std::optional<ForeignRas> foreign;
  for (int tries = 0; tries < most_tries && !(foreign && addresses.empty()); ++tries) {
    const Deadline first = std::min(end, after(limit_seconds * share_of_try));
    try {
      const Fd socket = connect_to_any(place, addresses, first);
      say(socket.get(), timeout_question, first);
      if (hear(socket.get(), first, true).empty()) continue;
      check_owner(socket.get(), addresses.front());
      say(socket.get(), status_question, end);
      std::string answer = hear(socket.get(), end, false);
      if (!answer.empty()) return answer;
    } catch (const ForeignRas& error) {
      foreign = error;
      addresses.erase(addresses.begin());
    } catch (const Error&) {
      if (!foreign) throw;
    }
  }
  if (foreign) throw ForeignRas(*foreign);
  throw Error(fmt::format("{}:{} does not answer", place.host, place.port));
}

std::vector<std::string> ras_lines(std::string_view answer) {
  std::vector<std::string> lines;
  for (std::string line : split(answer, '\n')) {
    std::erase_if(line, [](char each) { return each < ' ' || each > '~'; });
    if (!trim(line).empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace slipway
