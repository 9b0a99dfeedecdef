// Tests of whose process has the other end of a connection.
#include "common/socket_owner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/tcp.h"
#include "tests/unit/catch.h"

using namespace slipway;

namespace {

Fd connect_to(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return socket;
}

}  // namespace

TEST_CASE("socket owner: of an end that has been accepted, and of none that has closed") {
  const Fd listener = listen_on_tcp(0, "127.0.0.1");
  const Fd client = connect_to(port_of(listener.get()));
  Fd accepted(::accept(listener.get(), nullptr, nullptr));
  CHECK(owner_of_peer(client.get()) == ::geteuid());
  CHECK(owner_of_peer(accepted.get()) == ::geteuid());
  accepted.reset();
  CHECK(owner_of_peer(client.get()) == std::nullopt);
  CHECK(owner_of_peer(-1) == std::nullopt);
}

TEST_CASE("socket owner: of a socket for IPv4 and IPv6, which has an IPv4 client") {
  const Fd listener(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener) return;  // a host without IPv6
  const int no = 0;
  ::setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const Fd client = connect_to(ntohs(address.sin6_port));
  const Fd accepted(::accept(listener.get(), nullptr, nullptr));
  CHECK(owner_of_peer(client.get()) == ::geteuid());
  CHECK(owner_of_peer(accepted.get()) == ::geteuid());
}
