// Clients of a listening socket that have not authenticated yet.
#include "common/pending_clients.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/error.h"

namespace slipway {
namespace {

// Bounds one call to a few milliseconds, however many clients there are.
constexpr int most_at_once = 256;

// How long the listening socket is not polled if there is no descriptor for a waiting client. It
// stays readable all that time, so polling it would spin.
constexpr long pause_ns = 100'000'000;

void change_watch(const Fd& waiting, int how, int socket, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.fd = socket;
  if (::epoll_ctl(waiting.get(), how, socket, &event) != 0) throw_errno("epoll_ctl");
}

void watch(const Fd& waiting, int socket) {
  change_watch(waiting, EPOLL_CTL_ADD, socket, EPOLLIN);
}

bool is_readable(const Fd& fd) {
  pollfd entry = {fd.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

// Whether the process or the machine cannot take another connection now.
bool is_out_of_resources(int code) {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

// Makes a dropped connection leave nothing in the kernel. Accepted connections inherit this from
// the listening socket.
void drop_at_once(const Fd& socket, bool yes) {
  const linger how = {yes, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &how, sizeof how);
}

}  // namespace

PendingClients::PendingClients(Fd listener, Speaker own, std::string after_greeting, Limits limits)
    : listener_(std::move(listener)),
      waiting_(::epoll_create1(EPOLL_CLOEXEC)),
      pause_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      own_(std::move(own)),
      after_greeting_(std::move(after_greeting)),
      limits_(limits) {
  if (!waiting_) throw_errno("epoll_create1");
  if (!pause_) throw_errno("timerfd_create");
  drop_at_once(listener_, true);
  watch(waiting_, listener_.get());
  watch(waiting_, pause_.get());
}

std::vector<PendingClients::Arrival> PendingClients::poll() {
  const auto now = Clock::now();
  while (!clients_.empty() && now - clients_.front().since > limits_.patience)
    drop(clients_.begin());
  std::array<epoll_event, most_at_once> events;
  const int count = ::epoll_wait(waiting_.get(), events.data(), most_at_once, 0);
  std::vector<Arrival> arrivals;
  bool has_new = false;
  for (int i = 0; i < count; ++i) {
    const int socket = events[static_cast<size_t>(i)].data.fd;
    if (socket == listener_.get()) {
      has_new = true;
    } else if (socket == pause_.get()) {
      resume_accepting();
      has_new = true;
    } else if (auto arrival = read_from(by_socket_.at(socket))) {
      arrivals.push_back(std::move(*arrival));
    }
  }
  if (has_new) accept();  // last: it may drop clients that have answered
  return arrivals;
}

void PendingClients::accept() {
  for (int i = 0; i < most_at_once; ++i) {
    sockaddr_in from = {};
    socklen_t length = sizeof from;
    Fd socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &length,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      welcome(std::move(socket), from.sin_addr.s_addr);
    } else if (!is_out_of_resources(errno) || !is_readable(listener_)) {
      return;  // accept(2) needs a descriptor before it checks for a waiting client
    } else if (clients_.empty()) {
      return pause_accepting();
    } else {
      drop(clients_.begin());
    }
  }
}

void PendingClients::pause_accepting() {
  change_watch(waiting_, EPOLL_CTL_MOD, listener_.get(), 0);
  const itimerspec once = {{0, 0}, {0, pause_ns}};
  if (::timerfd_settime(pause_.get(), 0, &once, nullptr) != 0) throw_errno("timerfd_settime");
}

void PendingClients::resume_accepting() {
  uint64_t times = 0;
  (void)!::read(pause_.get(), &times, sizeof times);
  change_watch(waiting_, EPOLL_CTL_MOD, listener_.get(), EPOLLIN);
}

void PendingClients::welcome(Fd socket, uint32_t address) {
  make_room(address);
  std::string greeting = make_greeting(own_);
  const std::string all = greeting + after_greeting_;
  // It fits into the send buffer of a new connection.
  if (::send(socket.get(), all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
      static_cast<ssize_t>(all.size())) {
    return;
  }
  watch(waiting_, socket.get());
  const int number = socket.get();
  clients_.push_back({std::move(socket), address, std::move(greeting), "", Clock::now()});
  by_socket_[number] = std::prev(clients_.end());
  ++of_address_[address];
}

void PendingClients::make_room(uint32_t address) {
  const auto known = of_address_.find(address);
  if (known != of_address_.end() && known->second >= limits_.per_address) {
    drop_oldest_of(address);
  } else if (clients_.size() >= limits_.in_total) {
    const auto most =
        std::ranges::max_element(of_address_, {}, [](const auto& each) { return each.second; });
    drop_oldest_of(most->first);
  }
}

void PendingClients::drop_oldest_of(uint32_t address) {
  drop(std::ranges::find(clients_, address, &PendingClient::address));
}

void PendingClients::drop(Place client) {
  by_socket_.erase(client->socket.get());
  const auto address = of_address_.find(client->address);
  if (--address->second == 0) of_address_.erase(address);
  clients_.erase(client);
}

std::optional<PendingClients::Arrival> PendingClients::read_from(Place client) {
  std::array<char, answer_bytes> buffer;
  const size_t missing = answer_bytes - client->answer.size();
  // Data after the answer is for the owner of the connection.
  const ssize_t got = ::recv(client->socket.get(), buffer.data(), missing, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (got > 0) client->answer.append(buffer.data(), static_cast<size_t>(got));
  if (got > 0 && client->answer.size() < answer_bytes) return std::nullopt;
  std::optional<Arrival> arrival;
  if (got > 0) {
    const int number = client->socket.get();
    ::epoll_ctl(waiting_.get(), EPOLL_CTL_DEL, number, nullptr);
    drop_at_once(client->socket, false);
    arrival =
        Arrival{std::move(client->socket), std::move(client->greeting), std::move(client->answer)};
    by_socket_.erase(number);
    if (--of_address_[client->address] == 0) of_address_.erase(client->address);
    clients_.erase(client);
  } else {
    drop(client);
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
