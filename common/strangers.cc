// Those who have connected and have not said yet who they are.
#include "common/strangers.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/error.h"

namespace slipway {
namespace {

// One call does not take longer than some milliseconds, whoever comes.
constexpr int most_at_once = 256;

void watch(const Fd& waiting, int socket) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = socket;
  if (::epoll_ctl(waiting.get(), EPOLL_CTL_ADD, socket, &event) != 0) throw_errno("epoll_ctl");
}

// A connection that is dropped leaves nothing in the kernel, either. Those that are accepted have
// this from the listening socket.
void drop_at_once(const Fd& socket, bool yes) {
  const linger how = {yes, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &how, sizeof how);
}

}  // namespace

Strangers::Strangers(Fd listener, Speaker own, std::string after_greeting, Limits limits)
    : listener_(std::move(listener)),
      waiting_(::epoll_create1(EPOLL_CLOEXEC)),
      own_(std::move(own)),
      after_greeting_(std::move(after_greeting)),
      limits_(limits) {
  if (!waiting_) throw_errno("epoll_create1");
  drop_at_once(listener_, true);
  watch(waiting_, listener_.get());
}

std::vector<Strangers::Arrival> Strangers::hear() {
  const auto now = Clock::now();
  while (!strangers_.empty() && now - strangers_.front().since > limits_.patience)
    drop(strangers_.begin());
  std::array<epoll_event, most_at_once> events;
  const int count = ::epoll_wait(waiting_.get(), events.data(), most_at_once, 0);
  std::vector<Arrival> arrivals;
  bool somebody_new = false;
  for (int i = 0; i < count; ++i) {
    const int socket = events[static_cast<size_t>(i)].data.fd;
    if (socket == listener_.get()) {
      somebody_new = true;
    } else if (auto arrival = read(by_socket_.at(socket))) {
      arrivals.push_back(std::move(*arrival));
    }
  }
  if (somebody_new) accept();  // last: it may drop some that have been heard
  return arrivals;
}

void Strangers::accept() {
  for (int i = 0; i < most_at_once; ++i) {
    sockaddr_in from = {};
    socklen_t length = sizeof from;
    Fd socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &length,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    const bool none_left = !socket && (errno == EMFILE || errno == ENFILE);
    if (!socket && !none_left) return;
    if (none_left) {
      if (strangers_.empty()) return;
      drop(strangers_.begin());
      continue;
    }
    welcome(std::move(socket), from.sin_addr.s_addr);
  }
}

void Strangers::welcome(Fd socket, uint32_t address) {
  make_room(address);
  std::string greeting = make_greeting(own_);
  const std::string all = greeting + after_greeting_;
  // It fits into the buffer of a connection that is new.
  if (::send(socket.get(), all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
      static_cast<ssize_t>(all.size())) {
    return;
  }
  watch(waiting_, socket.get());
  const int number = socket.get();
  strangers_.push_back({std::move(socket), address, std::move(greeting), "", Clock::now()});
  by_socket_[number] = std::prev(strangers_.end());
  ++of_address_[address];
}

void Strangers::make_room(uint32_t address) {
  const auto known = of_address_.find(address);
  if (known != of_address_.end() && known->second >= limits_.of_an_address) {
    drop_oldest_of(address);
  } else if (strangers_.size() >= limits_.in_all) {
    const auto most =
        std::ranges::max_element(of_address_, {}, [](const auto& each) { return each.second; });
    drop_oldest_of(most->first);
  }
}

void Strangers::drop_oldest_of(uint32_t address) {
  drop(std::ranges::find(strangers_, address, &Stranger::address));
}

void Strangers::drop(Place stranger) {
  by_socket_.erase(stranger->socket.get());
  const auto address = of_address_.find(stranger->address);
  if (--address->second == 0) of_address_.erase(address);
  strangers_.erase(stranger);
}

std::optional<Strangers::Arrival> Strangers::read(Place stranger) {
  std::array<char, answer_bytes> buffer;
  const size_t missing = answer_bytes - stranger->answer.size();
  // What follows the answer is for whoever takes the connection.
  const ssize_t got = ::recv(stranger->socket.get(), buffer.data(), missing, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (got > 0) stranger->answer.append(buffer.data(), static_cast<size_t>(got));
  if (got > 0 && stranger->answer.size() < answer_bytes) return std::nullopt;
  std::optional<Arrival> arrival;
  if (got > 0) {
    const int number = stranger->socket.get();
    ::epoll_ctl(waiting_.get(), EPOLL_CTL_DEL, number, nullptr);
    drop_at_once(stranger->socket, false);
    arrival = Arrival{std::move(stranger->socket), std::move(stranger->greeting),
                      std::move(stranger->answer)};
    by_socket_.erase(number);
    if (--of_address_[stranger->address] == 0) of_address_.erase(stranger->address);
    strangers_.erase(stranger);
  } else {
    drop(stranger);
  }
  return arrival;
}

void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace slipway
