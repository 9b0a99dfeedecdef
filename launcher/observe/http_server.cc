// Serves HTTP.
#include "launcher/observe/http_server.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "common/error.h"
#include "common/text.h"

namespace slipway::observe {
namespace {

constexpr std::string_view end_of_header = "\r\n\r\n";
constexpr size_t most_headers = 64;

const char* status_words(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

ParsedRequest parse_request(std::string_view text) {
  ParsedRequest parsed;
  const size_t end = text.find(end_of_header);
  if (end == text.npos) return parsed;
  std::vector<std::string> lines = split(text.substr(0, end), '\n');
  if (lines.empty() || lines.size() > most_headers) throw Error("not a request");
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  const std::vector<std::string> words = split(lines[0], ' ');
  if (words.size() != 3 || !is_token(words[0]) || !words[1].starts_with('/') ||
      !is_printable(words[1]) || !words[2].starts_with("HTTP/1.")) {
    throw Error("not a request");
  }
  parsed.request.method = words[0];
  parsed.request.path = words[1].substr(0, words[1].find('?'));
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    if (colon == std::string::npos || !is_token(lines[i].substr(0, colon))) {
      throw Error("not a request");
    }
    parsed.request.headers[to_lower(std::string_view(lines[i]).substr(0, colon))] =
        trim(std::string_view(lines[i]).substr(colon + 1));
  }
  parsed.is_whole = true;
  return parsed;
}

std::string to_text(const HttpAnswer& answer, bool with_body) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "X-Content-Type-Options: nosniff\r\n\r\n{}",
      answer.status, status_words(answer.status), answer.type, answer.body.size(),
      with_body ? answer.body : "");
}

HttpServer::HttpServer(Fd listener, Handle handle, Limits limits)
    : listener_(std::move(listener)), handle_(std::move(handle)), limits_(limits) {}

std::vector<pollfd> HttpServer::descriptors() const {
  std::vector<pollfd> all = {{listener_.get(), POLLIN, 0}};
  for (const Client& client : clients_) {
    all.push_back(
        {client.socket.get(), static_cast<short>(client.is_answered ? POLLOUT : POLLIN), 0});
  }
  return all;
}

HttpServer::Clock::time_point HttpServer::next_deadline() const {
  Clock::time_point next = Clock::time_point::max();
  for (const Client& client : clients_) next = std::min(next, client.deadline);
  return next;
}

void HttpServer::serve() {
  accept_clients();
  std::erase_if(clients_, [&](Client& client) {
    return !serve_client(client) || Clock::now() >= client.deadline;
  });
}

void HttpServer::accept_clients() {
  for (;;) {
    sockaddr_in from = {};
    socklen_t length = sizeof from;
    Fd socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &length,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!socket) return;
    if (clients_.size() >= limits_.clients) drop_one();
    clients_.push_back({std::move(socket),
                        from.sin_addr.s_addr,
                        Clock::now() + limits_.patience,
                        {},
                        {},
                        0,
                        false});
  }
}

// Of the address with the most clients, so that nobody displaces others; the oldest, which has had
// the most time.
void HttpServer::drop_one() {
  std::map<uint32_t, size_t> of_address;
  for (const Client& client : clients_) ++of_address[client.address];
  const auto most =
      std::ranges::max_element(of_address, {}, [](const auto& each) { return each.second; });
  clients_.erase(std::ranges::find(clients_, most->first, &Client::address));
}

bool HttpServer::serve_client(Client& client) {
  if (!client.is_answered && !read_request(client)) return false;
  return !client.is_answered || send_answer(client);
}

void HttpServer::answer(Client& client, const HttpAnswer& answer, bool with_body) {
  client.answer = to_text(answer, with_body);
  client.is_answered = true;
}

bool HttpServer::read_request(Client& client) {
  std::array<char, 4096> bytes;
  const ssize_t count = ::recv(client.socket.get(), bytes.data(), bytes.size(), 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  client.request.append(bytes.data(), static_cast<size_t>(count));
  try {
    const ParsedRequest parsed = parse_request(client.request);
    if (parsed.is_whole) {
      const bool is_head = parsed.request.method == "HEAD";
      const bool may = is_head || parsed.request.method == "GET";
      answer(client,
             may ? handle_(parsed.request)
                 : HttpAnswer{.status = 405, .body = "only GET and HEAD are served\n"},
             !is_head);
    } else if (client.request.size() > limits_.request_bytes) {
      answer(client, {.status = 431, .body = "the request is too large\n"}, true);
    }
  } catch (const Error&) {
    answer(client, {.status = 400, .body = "not an HTTP request\n"}, true);
  }
  return true;
}

bool HttpServer::send_answer(Client& client) {
  const std::string_view rest = std::string_view(client.answer).substr(client.sent);
  const ssize_t count = ::send(client.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  client.sent += static_cast<size_t>(count);
  return client.sent < client.answer.size();
}

}  // namespace slipway::observe
