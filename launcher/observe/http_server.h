// A small HTTP/1.1 server for a few short answers, in one thread and without blocking.
//
// A client has a bounded time and size for its request and for taking the answer, and the number
// of clients is bounded: a client that is slow or large is dropped, and the others are served.
// GET and HEAD only; each connection serves one request (RFC 9112).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"

struct pollfd;

namespace slipway::observe {

struct HttpRequest {
  std::string method, path;                    // without what follows `?`
  std::map<std::string, std::string> headers;  // names in lower case
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
};

// Empty as long as the header is not whole. Throws Error if it is not a request.
struct ParsedRequest {
  bool is_whole = false;
  HttpRequest request;
};
ParsedRequest parse_request(std::string_view text);

// Also for HEAD, whose answer has no body.
std::string to_text(const HttpAnswer& answer, bool with_body);

class HttpServer {
 public:
  using Clock = std::chrono::steady_clock;
  using Handle = std::function<HttpAnswer(const HttpRequest&)>;

  struct Limits {
    size_t clients = 64;
    size_t request_bytes = 8192;
    std::chrono::milliseconds patience = std::chrono::seconds(10);  // for the whole exchange
  };

  // `listener`: a non-blocking listening socket.
  HttpServer(Fd listener, Handle handle, Limits limits);
  HttpServer(Fd listener, Handle handle)
      : HttpServer(std::move(listener), std::move(handle), Limits()) {}

  // What to poll, and until when at most.
  std::vector<pollfd> descriptors() const;
  Clock::time_point next_deadline() const;
  // Serves whatever is ready, without waiting.
  void serve();
  size_t clients() const { return clients_.size(); }

 private:
  struct Client {
    Fd socket;
    uint32_t address;  // IPv4
    Clock::time_point deadline;
    std::string request, answer;
    size_t sent = 0;
    bool is_answered = false;
  };

  void accept_clients();
  void drop_one();
  // False when there is nothing more to do for the client.
  bool serve_client(Client& client);
  void answer(Client& client, const HttpAnswer& answer, bool with_body);
  bool read_request(Client& client);
  bool send_answer(Client& client);

  Fd listener_;
  Handle handle_;
  Limits limits_;
  std::list<Client> clients_;  // oldest first
};

}  // namespace slipway::observe
