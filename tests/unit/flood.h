// Thousands of hostile clients, for tests of listening sockets: they stay silent, send garbage or
// single bytes, close half of the connection, send a wrong proof, or replay a recorded answer.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "common/fd.h"
#include "common/handshake.h"
#include "common/secret.h"

namespace slipway::test {

class Flood {
 public:
  // Connects from `addresses`, with `recorded`, an answer that was valid once. Continues until
  // stop().
  Flood(int port, std::vector<std::string> addresses, std::string recorded)
      : port_(port), addresses_(std::move(addresses)), recorded_(std::move(recorded)) {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Flood() { stop(); }

  void stop() {
    over_ = true;
    threads_.clear();
  }
  int connections() const { return connections_; }

 private:
  static constexpr size_t most_open = 300;  // of each thread

  void run() {
    std::deque<Fd> open;
    while (!over_) {
      const int number = attempts_++;
      Fd fd = connect(addresses_[static_cast<size_t>(number) % addresses_.size()]);
      if (!fd) continue;
      ++connections_;
      speak(fd, number % 6);
      if (number % 6 < 4) open.push_back(std::move(fd));
      if (open.size() > most_open) open.pop_front();
      // The slow ones send one more byte.
      if (!open.empty()) (void)!::send(open.back().get(), "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }

  Fd connect(const std::string& address) const {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const linger at_once = {1, 0};  // no port waits for late segments
    ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    const sockaddr_in from = place(address, 0), to = place("127.0.0.1", port_);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0 ||
        ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      fd.reset();
    }
    return fd;
  }

  void speak(const Fd& fd, int kind) const {
    const auto send = [&](const std::string& bytes) {
      (void)!::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    };
    if (kind == 1) send("GET / HTTP/1.1\r\n\r\n");
    if (kind == 2) send("slipway");
    if (kind == 3) ::shutdown(fd.get(), SHUT_WR);
    if (kind == 4) send(make_answer(random_secret(), "slipway launch", {1, "0"}, "", "a"));
    if (kind == 5) send(recorded_ + recorded_);
  }

  static sockaddr_in place(const std::string& address, int port) {
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
    return at;
  }

  int port_;
  std::vector<std::string> addresses_;
  std::string recorded_;
  std::atomic<bool> over_ = false;
  std::atomic<int> connections_ = 0, attempts_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace slipway::test
