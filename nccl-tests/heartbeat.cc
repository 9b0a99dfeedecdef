// Every rank reports to rank 0 that it is alive and what it is doing.
#include "nccl-tests/heartbeat.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include <fmt/core.h>

#include "common/fd.h"
#include "common/pending_clients.h"
#include "common/tcp.h"
#include "common/text.h"
#include "nccl-tests/nccl_ras.h"
#include "nccl-tests/rank_handshake.h"
#include "nccl-tests/run.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

constexpr double beat_seconds = 1;
// The failure that a rank's death causes in others may arrive before the death is noticed.
constexpr double settle_seconds = 0.3;
constexpr double farewell_seconds = 5;
constexpr double connect_seconds = 30;
constexpr std::string_view heartbeat_purpose = "slipway heartbeat";

enum class Word : int32_t { beat, leave, fail, end };

// In this process, on any backend.
std::atomic<uint64_t> operations_started = 0;

struct Message {
  Word word = Word::beat;
  int32_t rank = 0;
  uint64_t operations = 0;
  char text[248] = {};
};

Message message(Word word, int rank, const std::string& text) {
  Message result{.word = word, .rank = rank, .operations = operations_started.load()};
  text.copy(result.text, sizeof result.text - 1);
  return result;
}

}  // namespace

class Heartbeat::Thread {
 public:
  Thread(Backend& backend, Settings settings)
      : settings_(std::move(settings)),
        rank_(backend.rank_of_all()),
        over_nccl_(backend.info().name == "nccl"),
        wake_(make_pipe()) {
    ::fcntl(wake_.read.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(wake_.write.get(), F_SETFL, O_NONBLOCK);
    const double now = now_seconds();
    for (const RankInfo& rank : backend.all_ranks()) {
      statuses_.push_back({.host = rank.host, .moved = now, .heard = now});
    }
    std::string place;
    if (rank_ == 0) {
      key_ = random_secret();
      clients_.emplace(listen_on({0}), this_rank());
      place = fmt::format("{} {}", port_of(clients_->listener()), to_hex(key_));
    }
    place = backend.share(place).front();
    if (rank_ == 0) thread_ = std::thread([this] { look_after(); });
    on_all_ranks(backend, [&] {
      if (rank_ != 0) connect(place);
    });
    if (rank_ != 0) thread_ = std::thread([this] { report(); });
  }

  ~Thread() {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    wake();
    thread_.join();
  }

  void phase(const std::string& text) {
    const std::lock_guard lock(mutex_);
    phase_ = text;
    changed_ = true;
    wake();
  }

  [[noreturn]] void fail(const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = text;
    }
    wake();
    // Rank 0 prints the message and ends all ranks. If rank 0 does not receive it, this rank
    // prints it and ends.
    std::this_thread::sleep_for(std::chrono::duration<double>(farewell_seconds));
    fmt::print(stderr, "{}: rank {}: {}\n", settings_.program, rank_, text);
    end_process();
  }

 private:
  [[noreturn]] void end_process() {
    settings_.on_end();
    std::fflush(nullptr);
    ::_exit(settings_.status);
  }

  struct Connection {
    Fd socket;
    std::string bytes;  // of a message that has not arrived completely
  };

  void wake() { (void)!::write(wake_.write.get(), "w", 1); }
  void sleep_again() {
    char some[64];
    while (::read(wake_.read.get(), some, sizeof some) > 0) {
    }
  }

  // `place` is a port and the key that rank 0 has made.
  void connect(const std::string& place) {
    const bool same_host = statuses_[0].host == statuses_[static_cast<size_t>(rank_)].host;
    const double deadline = now_seconds() + connect_seconds;
    const size_t space = place.find(' ');
    const auto key = secret_from_hex(std::string_view(place).substr(space + 1));
    const auto port = to_number<int>(std::string_view(place).substr(0, space));
    if (!key || !port) throw Error("rank 0 did not send its port and key");
    socket_ = connect_to_rank(same_host ? "127.0.0.1" : statuses_[0].host, *port, *key,
                              heartbeat_purpose, {rank_, 0}, deadline, "rank 0");
    send(socket_.get(), message(Word::beat, rank_, "starting"));
  }

  static void send(int socket, const Message& what) {
    send_all(socket, &what, sizeof what, "rank 0");
  }

  // On the other ranks: sends what is new, or at least a heartbeat, until rank 0 ends the run.
  void report();
  bool report_once();

  // On rank 0.
  void look_after();
  void take_connections();
  void hear(int rank, const Message& what);
  void read_from(int rank, Connection& connection);
  bool all_left() const;
  void own_news();
  [[noreturn]] void end_all(const std::string& why);

  Settings settings_;
  int rank_;
  bool over_nccl_;
  Pipe wake_;
  Fd socket_;  // to rank 0
  Secret key_ = {};
  std::optional<PendingClients> clients_;
  std::thread thread_;

  std::mutex mutex_;  // guards what follows, which the thread and its owner share
  std::string phase_, failure_;
  bool changed_ = false, leaving_ = false;

  std::vector<RankStatus> statuses_;
  std::map<int, Connection> connections_;  // by rank, which the handshake has proven
  double trouble_since_ = 0;
};

bool Heartbeat::Thread::report_once() {
  std::string text, failure;
  bool leaving = false;
  {
    const std::lock_guard lock(mutex_);
    text = phase_;
    failure = failure_;
    leaving = leaving_;
    changed_ = false;
  }
  send(socket_.get(), message(Word::beat, rank_, text));
  if (!failure.empty()) send(socket_.get(), message(Word::fail, rank_, failure));
  if (leaving) send(socket_.get(), message(Word::leave, rank_, text));
  return !leaving;
}

void Heartbeat::Thread::report() {
  try {
    while (report_once()) {
      pollfd entries[] = {{wake_.read.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
      ::poll(entries, 2, static_cast<int>(beat_seconds * 1e3));
      sleep_again();
      if (entries[1].revents == 0) continue;
      Message answer;
      receive_within(socket_.get(), &answer, sizeof answer, now_seconds() + 1);
      if (answer.word == Word::end) end_process();
    }
  } catch (const Error&) {
    {
      const std::lock_guard lock(mutex_);
      if (leaving_) return;
    }
    // Only one of the remaining ranks prints it.
    if (rank_ == 1) {
      fmt::print(stderr, "{}: rank 0 on {} has gone\n", settings_.program, statuses_[0].host);
    }
    end_process();
  }
}

void Heartbeat::Thread::take_connections() try {
  for (PendingClients::Arrival& arrival : clients_->poll()) {
    const auto claim = identify_rank(arrival, key_, heartbeat_purpose);
    if (!claim || claim->rank == 0 || claim->rank >= static_cast<int>(statuses_.size())) continue;
    connections_.insert_or_assign(claim->rank, Connection{std::move(arrival.socket), ""});
    statuses_[static_cast<size_t>(claim->rank)].gone = false;  // it may have reconnected
  }
} catch (const Error& error) {  // a rank of another version
  end_all(error.what());
}

void Heartbeat::Thread::hear(int rank, const Message& what) {
  RankStatus& life = statuses_.at(static_cast<size_t>(rank));
  const double now = now_seconds();
  const std::string text(what.text, ::strnlen(what.text, sizeof what.text));
  life.heard = now;
  if (what.word == Word::leave) life.left = true;
  if (what.word == Word::fail) life.failure = text;
  if (what.word != Word::beat) return;
  if (text == life.phase && what.operations == life.operations) return;
  if (!text.empty()) life.phase = text;
  life.operations = what.operations;
  life.moved = now;
}

void Heartbeat::Thread::own_news() {
  const std::lock_guard lock(mutex_);
  Message own = message(Word::beat, 0, phase_);
  hear(0, own);
  if (!failure_.empty()) statuses_[0].failure = failure_;
  if (leaving_) statuses_[0].left = true;
}

// Reads whole messages. A rank whose stream ends before it has left is gone.
void Heartbeat::Thread::read_from(int rank, Connection& connection) {
  auto& [socket, bytes] = connection;
  char some[4096];
  const ssize_t got = ::recv(socket.get(), some, sizeof some, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) bytes.append(some, static_cast<size_t>(got));
  for (; bytes.size() >= sizeof(Message); bytes.erase(0, sizeof(Message))) {
    Message what;
    std::memcpy(&what, bytes.data(), sizeof what);
    hear(rank, what);
  }
  if (got > 0) return;
  RankStatus& life = statuses_[static_cast<size_t>(rank)];
  life.gone = !life.left && life.failure.empty();
  socket.reset();
}

bool Heartbeat::Thread::all_left() const {
  return std::ranges::all_of(statuses_, [](const RankStatus& life) { return life.left; });
}

void Heartbeat::Thread::end_all(const std::string& why) {
  fmt::print(stderr, "{}: {}\n", settings_.program, why);
  if (over_nccl_) fmt::print(stderr, "{}", ras_report());
  for (auto& [rank, connection] : connections_) {
    const Message end = message(Word::end, 0, "");
    // A rank that cannot be reached has ended already.
    if (connection.socket)
      ::send(connection.socket.get(), &end, sizeof end, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  end_process();
}

void Heartbeat::Thread::look_after() {
  double left_since = 0;
  for (;;) {
    std::vector<pollfd> entries = {{wake_.read.get(), POLLIN, 0}, {clients_->fd(), POLLIN, 0}};
    for (const auto& [rank, connection] : connections_)
      entries.push_back({connection.socket.get(), POLLIN, 0});
    ::poll(entries.data(), entries.size(), trouble_since_ > 0 ? 50 : 500);
    sleep_again();
    take_connections();
    for (auto& [rank, connection] : connections_) read_from(rank, connection);
    std::erase_if(connections_, [](const auto& each) { return !each.second.socket; });
    own_news();

    const double now = now_seconds();
    if (statuses_[0].left) {
      if (left_since == 0) left_since = now;
      if (all_left() || now - left_since > farewell_seconds) return;
    }
    const std::string why =
        end_reason(statuses_, now, settings_.timeout_seconds, settings_.silence_seconds);
    if (why.empty()) continue;
    if (trouble_since_ == 0) trouble_since_ = now;
    if (now - trouble_since_ >= settle_seconds) end_all(why);
  }
}

void count_operation() {
  // Only the measuring thread writes it, so no locked instruction is needed between operations.
  const uint64_t before = operations_started.load(std::memory_order_relaxed);
  operations_started.store(before + 1, std::memory_order_relaxed);
}

Heartbeat::Heartbeat(Backend& backend, Settings settings)
    : thread_(std::make_unique<Thread>(backend, std::move(settings))) {}

Heartbeat::~Heartbeat() = default;

void Heartbeat::phase(const std::string& text) {
  thread_->phase(text);
}

void Heartbeat::fail(const std::string& text) {
  thread_->fail(text);
}

}  // namespace slipway::bandwidth
