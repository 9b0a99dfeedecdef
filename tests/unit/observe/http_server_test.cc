// Tests of the HTTP server against clients that are slow, large or many.
#include "launcher/observe/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "common/error.h"
#include "common/tcp.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::observe;
using std::chrono::milliseconds;

namespace {

struct Served {
  int asked = 0;
  HttpServer server;
  int port = 0;
  explicit Served(HttpServer::Limits limits = {}) : Served(listen_on_tcp(0, "127.0.0.1"), limits) {}

  // Serves until `done`, at most as long as a broken test may take.
  template <class Done>
  bool until(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      auto wait_for = server.descriptors();
      ::poll(wait_for.data(), wait_for.size(), 5);
      server.serve();
    }
    return true;
  }

 private:
  Served(Fd listener, HttpServer::Limits limits)
      : server(
            Fd(listener.get()),
            [this](const HttpRequest& request) {
              ++asked;
              return HttpAnswer{.body = "you asked for " + request.path + "\n"};
            },
            limits),
        port(port_of(listener.get())) {
    listener.release();
  }
};

struct Visitor {
  Fd socket = new_tcp_socket();
  std::string answer;
  bool ended = false;
  explicit Visitor(int port, const char* from = "127.0.0.1") {
    sockaddr_in own = {};
    own.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &own.sin_addr);
    REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    REQUIRE(connect_within(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address,
                           std::chrono::steady_clock::now() + std::chrono::seconds(60)) == 0);
  }
  void say(const std::string& text) {
    [[maybe_unused]] const auto sent = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  // Reads what has arrived; true once the server has closed the connection.
  bool has_ended() {
    char bytes[65536];
    const ssize_t count = ::recv(socket.get(), bytes, sizeof bytes, 0);
    if (count > 0) answer.append(bytes, static_cast<size_t>(count));
    ended = ended || count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    return ended;
  }
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\r'));
}

}  // namespace

TEST_CASE("http server: answers GET, and HEAD without the body") {
  Served served;
  Visitor get(served.port), head(served.port);
  get.say("GET /metrics?x=1 HTTP/1.1\r\nHost: n\r\n\r\n");
  head.say("HEAD / HTTP/1.1\r\nHost: n\r\n\r\n");
  REQUIRE(served.until([&] { return get.has_ended() && head.has_ended(); }));
  CHECK(get.answer.ends_with("\r\n\r\nyou asked for /metrics\n"));
  CHECK(get.answer.find("Content-Length: 23\r\n") != std::string::npos);
  CHECK(
      head.answer.ends_with("Content-Length: 16\r\nConnection: close\r\nX-Content-Type-Options: "
                            "nosniff\r\n\r\n"));
  CHECK(served.server.clients() == 0);
}

TEST_CASE("http server: a request may arrive byte by byte") {
  Served served;
  Visitor visitor(served.port);
  for (const char c : std::string("GET / HTTP/1.0\r\n\r\n")) {
    visitor.say(std::string(1, c));
    served.server.serve();
  }
  REQUIRE(served.until([&] { return visitor.has_ended(); }));
  CHECK(first_line(visitor.answer) == "HTTP/1.1 200 OK");
}

TEST_CASE("http server: refuses other methods and what is not HTTP") {
  Served served;
  Visitor post(served.port), tls(served.port), no_path(served.port);
  post.say("POST /metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\n");
  tls.say("\x16\x03\x01\x02\r\n\r\n");
  no_path.say("GET http://elsewhere/ HTTP/1.1\r\n\r\n");
  REQUIRE(served.until([&] { return post.has_ended() && tls.has_ended() && no_path.has_ended(); }));
  CHECK(first_line(post.answer) == "HTTP/1.1 405 Method Not Allowed");
  CHECK(first_line(tls.answer) == "HTTP/1.1 400 Bad Request");
  CHECK(first_line(no_path.answer) == "HTTP/1.1 400 Bad Request");
  CHECK(served.asked == 0);
}

TEST_CASE("http server: a request without end is refused when it is too large") {
  Served served;
  Visitor visitor(served.port);
  const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
  visitor.say("GET / HTTP/1.1\r\n");
  REQUIRE(served.until([&] {
    if (visitor.answer.empty() && !visitor.ended) visitor.say(line);
    return visitor.has_ended();
  }));
  CHECK(served.asked == 0);
  CHECK(served.server.clients() == 0);
}

TEST_CASE("http server: a client that says nothing is dropped, others are served meanwhile") {
  HttpServer::Limits limits;
  limits.patience = milliseconds(200);
  Served served(limits);
  Visitor silent(served.port);
  Visitor asks(served.port);
  asks.say("GET / HTTP/1.1\r\n\r\n");
  REQUIRE(served.until([&] { return asks.has_ended(); }));
  CHECK(first_line(asks.answer) == "HTTP/1.1 200 OK");
  REQUIRE(served.until([&] { return silent.has_ended(); }));
  CHECK(silent.answer.empty());
}

TEST_CASE("http server: with too many clients, the oldest is dropped") {
  HttpServer::Limits limits;
  limits.clients = 8;
  Served served(limits);
  std::list<Visitor> crowd;
  for (int i = 0; i < 50; ++i) {
    crowd.emplace_back(served.port);
    served.server.serve();
    CHECK(served.server.clients() <= 8);
  }
  Visitor asks(served.port);
  asks.say("GET / HTTP/1.1\r\n\r\n");
  REQUIRE(served.until([&] { return asks.has_ended(); }));
  CHECK(first_line(asks.answer) == "HTTP/1.1 200 OK");
  REQUIRE(served.until([&] { return crowd.front().has_ended(); }));
}

TEST_CASE("http server: a crowd from one address displaces nobody else") {
  HttpServer::Limits limits;
  limits.clients = 8;
  Served served(limits);
  Visitor asks(served.port, "127.0.0.2");
  served.server.serve();
  std::list<Visitor> crowd;
  for (int i = 0; i < 50; ++i) {
    crowd.emplace_back(served.port);
    served.server.serve();
    CHECK(served.server.clients() <= 8);
  }
  asks.say("GET / HTTP/1.1\r\n\r\n");
  REQUIRE(served.until([&] { return asks.has_ended(); }));
  CHECK(first_line(asks.answer) == "HTTP/1.1 200 OK");
}

TEST_CASE("http server: a request is read as RFC 9112 has it") {
  const ParsedRequest parsed =
      parse_request("GET /a/b?c=d HTTP/1.1\r\nHost: n\r\nACCEPT:  text/plain \r\n\r\n");
  CHECK(parsed.is_whole);
  CHECK(parsed.request.path == "/a/b");
  CHECK(parsed.request.headers.at("accept") == "text/plain");
  CHECK_FALSE(parse_request("GET / HTTP/1.1\r\nHost: n\r\n").is_whole);
  for (const char* wrong : {"GET\r\n\r\n", "GET / HTTP/2\r\n\r\n", "G{T / HTTP/1.1\r\n\r\n",
                            "GET / HTTP/1.1\r\nno colon\r\n\r\n", "\r\n\r\n"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_request(wrong), Error);
  }
}
