// Asks NCCL's RAS service. Its protocol: NVIDIA/nccl, src/ras/client_support.cc.
#include "common/nccl_ras.h"

#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "common/error.h"
#include "common/fd.h"
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

// The first address that accepts: `localhost` may be ::1 or 127.0.0.1, and NCCL listens on the one
// that its host names first.
Fd connect_to_any(const RasPlace& place, Deadline deadline) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  int code = 0;
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
      Fd socket(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (!socket) continue;  // a host without IPv6
      const int failed = connect_within(socket.get(), each->ai_addr, each->ai_addrlen, deadline);
      if (failed == 0) return socket;
      code = failed;
    }
  }
  throw Error(fmt::format("cannot connect to {}:{}: {}", place.host, place.port,
                          std::strerror(code == 0 ? EADDRNOTAVAIL : code)));
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
  for (int tries = 0; tries < most_tries; ++tries) {
    const Deadline first = std::min(end, after(limit_seconds * share_of_try));
    const Fd socket = connect_to_any(place, first);
    say(socket.get(), timeout_question, first);
    if (hear(socket.get(), first, true).empty()) continue;
    say(socket.get(), status_question, end);
    std::string answer = hear(socket.get(), end, false);
    if (!answer.empty()) return answer;
  }
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
