#include "launcher/local/message.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::local;

namespace {

struct Sockets {
  Fd a, b;
  Sockets() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    a.reset(ends[0]);
    b.reset(ends[1]);
  }
};

}  // namespace

TEST_CASE("message: arrives whole, one at a time") {
  Sockets s;
  send_message(s.a.get(), {{"one", 1}});
  send_message(s.a.get(), {{"two", 2}});
  CHECK(receive_message(s.b.get())->body == nlohmann::json{{"one", 1}});
  CHECK(receive_message(s.b.get())->body == nlohmann::json{{"two", 2}});
}

TEST_CASE("message: carries descriptors, which are closed on exec") {
  Sockets s;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Fd read(ends[0]), write(ends[1]);
  send_message(s.a.get(), {{"x", 1}}, std::span(ends, 2));
  const auto message = receive_message(s.b.get());
  REQUIRE(message->fds.size() == 2);
  CHECK(::fcntl(message->fds[0].get(), F_GETFD) == FD_CLOEXEC);
  REQUIRE(::write(message->fds[1].get(), "y", 1) == 1);
  char byte = 0;
  REQUIRE(::read(read.get(), &byte, 1) == 1);
  CHECK(byte == 'y');
}

TEST_CASE("message: empty if the other side is gone, and an error when sending to it") {
  Sockets s;
  s.a.reset();
  CHECK_FALSE(receive_message(s.b.get()));
  CHECK_THROWS_WITH(send_message(s.b.get(), {{"x", 1}}), "cannot send a message: Broken pipe");
}

TEST_CASE("message: anything except a JSON object is an error") {
  Sockets s;
  REQUIRE(::write(s.a.get(), "[1]", 3) == 3);
  CHECK_THROWS_WITH(receive_message(s.b.get()), "received something that is not a message");
}

TEST_CASE("message: the sender rejects a message that is too large") {
  Sockets s;
  const std::string text(max_message_bytes, 'x');
  CHECK_THROWS_AS(send_message(s.a.get(), {{"x", text}}), Error);
}
