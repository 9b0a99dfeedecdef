#include "common/pending_clients.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <thread>

#include "tests/unit/catch.h"

using namespace slipway;
using namespace std::chrono_literals;

namespace {

const Speaker own = {1, "test"};

Fd listen_anywhere() {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in any = {};
  any.sin_family = AF_INET;
  REQUIRE(::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0);
  REQUIRE(::listen(fd.get(), SOMAXCONN) == 0);
  return fd;
}

sockaddr_in on(const std::string& address, int port = 0) {
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<uint16_t>(port));
  ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  return at;
}

Fd connect_from(const std::string& address, const PendingClients& clients) {
  sockaddr_in to = {};
  socklen_t length = sizeof to;
  ::getsockname(clients.listener(), reinterpret_cast<sockaddr*>(&to), &length);
  to = on("127.0.0.1", ntohs(to.sin_port));
  const sockaddr_in from = on(address);
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0);
  REQUIRE(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  return fd;
}

std::string read(const Fd& fd, size_t size) {
  std::string bytes(size, '\0');
  const ssize_t got = ::recv(fd.get(), bytes.data(), size, MSG_WAITALL);
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

bool is_closed(const Fd& fd) {
  char byte;
  return ::recv(fd.get(), &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
}

// Polls until `enough`, for at most ten seconds.
template <class Enough>
std::vector<PendingClients::Arrival> hear(PendingClients& clients, Enough enough) {
  std::vector<PendingClients::Arrival> all;
  for (const auto end = PendingClients::Clock::now() + 10s;
       !enough(all) && PendingClients::Clock::now() < end;) {
    pollfd waiting = {clients.fd(), POLLIN, 0};
    ::poll(&waiting, 1, 10);
    for (auto& each : clients.poll()) all.push_back(std::move(each));
  }
  return all;
}

// Uses up all descriptors of this process while it exists.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 128);
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (Fd fd; (fd = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));)
      taken_.push_back(std::move(fd));
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  void give_one_back() { taken_.pop_back(); }

 private:
  rlimit before_ = {};
  std::vector<Fd> taken_;
};

}  // namespace

TEST_CASE("pending clients: each gets its own greeting, and those that answer are returned") {
  PendingClients clients(listen_anywhere(), own, "and more");
  const Fd silent = connect_from("127.0.0.1", clients), ours = connect_from("127.0.0.1", clients);
  hear(clients, [&](const auto&) { return clients.size() == 2; });
  const std::string greeting = read(silent, greeting_bytes + 8);
  CHECK(greeting.ends_with("and more"));
  const std::string other = read(ours, greeting_bytes);
  CHECK(other != greeting.substr(0, greeting_bytes));
  const std::string answer(answer_bytes, 'a');
  // The second half arrives later; data after it stays unread.
  REQUIRE(::send(ours.get(), answer.data(), 100, 0) == 100);
  CHECK(hear(clients, [n = 0](const auto&) mutable { return n++ > 3; }).empty());
  const std::string rest = answer.substr(100) + "more";
  REQUIRE(::send(ours.get(), rest.data(), rest.size(), 0) == static_cast<ssize_t>(rest.size()));
  const auto arrivals = hear(clients, [](const auto& all) { return !all.empty(); });
  REQUIRE(arrivals.size() == 1);
  CHECK(arrivals[0].greeting == other);
  CHECK(arrivals[0].answer == answer);
  CHECK(read(arrivals[0].socket, 4) == "more");
  CHECK(clients.size() == 1);
}

TEST_CASE("pending clients: one that takes too long is dropped, whatever it sends") {
  PendingClients clients(listen_anywhere(), own, "", {.patience = 200ms});
  const Fd silent = connect_from("127.0.0.1", clients), slow = connect_from("127.0.0.1", clients);
  hear(clients, [&](const auto&) { return clients.size() == 2; });
  CHECK(read(silent, greeting_bytes).size() == greeting_bytes);
  const auto begin = PendingClients::Clock::now();
  hear(clients, [&](const auto&) {
    (void)!::send(slow.get(), "x", 1, MSG_NOSIGNAL);
    return clients.size() == 0;
  });
  CHECK(clients.size() == 0);
  CHECK(PendingClients::Clock::now() - begin < 5s);
  CHECK(is_closed(silent));
}

TEST_CASE("pending clients: without room, the oldest of the address with the most is dropped") {
  PendingClients clients(listen_anywhere(), own, "", {.in_total = 6, .per_address = 4});
  const auto come = [&](const std::string& address) {
    Fd fd = connect_from(address, clients);
    hear(clients, [n = 0](const auto&) mutable { return n++ > 0; });
    CHECK(read(fd, greeting_bytes).size() == greeting_bytes);
    return fd;
  };
  std::vector<Fd> many, few;
  few.push_back(come("127.0.0.3"));
  for (int i = 0; i < 5; ++i) many.push_back(come("127.0.0.2"));
  CHECK(is_closed(many[0]));  // four per address
  CHECK_FALSE(is_closed(many[1]));
  CHECK(clients.size() == 5);
  for (int i = 0; i < 2; ++i) few.push_back(come("127.0.0.4"));
  CHECK(is_closed(many[1]));  // six in total
  CHECK_FALSE(is_closed(few[0]));
  CHECK(clients.size() == 6);
}

TEST_CASE("pending clients: one that leaves is forgotten") {
  PendingClients clients(listen_anywhere(), own);
  for (int i = 0; i < 100; ++i) connect_from("127.0.0.1", clients);
  hear(clients, [&](const auto&) { return clients.size() > 0; });
  hear(clients, [&](const auto&) { return clients.size() == 0; });
  CHECK(clients.size() == 0);
}

TEST_CASE(
    "pending clients: without descriptors, polling does not spin, and clients are greeted later") {
  PendingClients clients(listen_anywhere(), own);
  const Fd waiting = connect_from("127.0.0.1", clients);
  int turns = 0;
  {
    NoDescriptors none;
    const auto end = PendingClients::Clock::now() + 500ms;
    for (; PendingClients::Clock::now() < end; ++turns) {
      pollfd entry = {clients.fd(), POLLIN, 0};
      ::poll(&entry, 1, 1000);
      clients.poll();
    }
    CHECK(clients.size() == 0);
    none.give_one_back();
    hear(clients, [&](const auto&) { return clients.size() == 1; });
  }
  CHECK(turns < 20);
  CHECK(clients.size() == 1);
  CHECK(read(waiting, greeting_bytes).size() == greeting_bytes);
}
