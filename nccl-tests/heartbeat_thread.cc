// The thread of a rank that sends and passes on heartbeats.
#include "nccl-tests/heartbeat_thread.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/nccl_ras.h"
#include "nccl-tests/rank_handshake.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

constexpr double beat_seconds = 1;
// The shortest time between two messages in which a rank passes on others' notes.
constexpr double between_news_seconds = 0.2;

// The first byte of a note. Up: beats; "7" left; "7 why" failed; "7" is gone. Down: alive, end.
struct Word {
  static constexpr char beats = 'B', left = 'L', failed = 'F', gone = 'G', alive = 'A', end = 'E';
};

}  // namespace

void Heartbeat::Thread::run() {
  for (;;) {
    wait();
    take_connections();
    read_children();
    if (rank_ != 0) read_parent();
    const double now = now_seconds();
    own_news(now);
    pass_on(now);
    if (is_told_to_end()) heed_end(now);
    if (rank_ == 0 && !is_told_to_end()) judge(now);
    if (may_leave(now)) return;
  }
}

void Heartbeat::Thread::wait() {
  std::vector<pollfd> entries = {{wake_.read.get(), POLLIN, 0}};
  if (clients_) entries.push_back({clients_->fd(), POLLIN, 0});
  const auto add = [&](const NoteLink& link) {
    const short events = link.has_to_send() ? POLLIN | POLLOUT : POLLIN;
    entries.push_back({link.socket(), events, 0});
  };
  for (const auto& [rank, child] : children_) add(child.link);
  if (parent_) add(*parent_);
  double seconds = std::max(0.0, own_due_ - now_seconds());
  if (!news_.empty()) seconds = std::min(seconds, between_news_seconds);
  if (trouble_since_ > 0 || left_since_ > 0 || told_since_ > 0)
    seconds = std::min(seconds, settle_seconds / 6);
  ::poll(entries.data(), entries.size(), static_cast<int>(seconds * 1e3) + 1);
  char some[64];
  while (::read(wake_.read.get(), some, sizeof some) > 0) {
  }
}

void Heartbeat::Thread::take_connections() try {
  if (!clients_) return;
  for (PendingClients::Arrival& arrival : clients_->poll()) {
    const auto claim = identify_rank(arrival, key_, heartbeat_purpose);
    if (!claim || claim->rank == rank_ || claim->rank >= ranks()) continue;
    const int socket = arrival.socket.get();
    children_.insert_or_assign(claim->rank, Child{std::move(arrival.socket), NoteLink(socket)});
    if (rank_ == 0) statuses_[static_cast<size_t>(claim->rank)].gone = false;  // it has reconnected
  }
} catch (const Error& error) {  // a rank of another version
  if (rank_ == 0) end_all(error.what());
}

// A rank whose connection ends before it has left is gone. It has left when its connection has
// ended, too: its process might never end.
void Heartbeat::Thread::read_children() {
  std::vector<int> closed;
  for (auto& [rank, child] : children_) {
    bool is_there = false;
    try {
      is_there = child.link.exchange([] { return true; },
                                     [&, rank = rank](auto note) { take_note(rank, note); });
    } catch (const Error&) {  // not what a rank sends
    }
    if (!is_there) closed.push_back(rank);
  }
  for (const int rank : closed) {
    const bool has_left = children_.at(rank).left_at > 0;
    children_.erase(rank);
    report(has_left ? Word::left : Word::gone, rank, "");
  }
}

void Heartbeat::Thread::take_note(int child, const std::string& note) {
  if (note.empty()) throw Error("an empty heartbeat");
  const char word = note.front();
  const std::string_view rest = std::string_view(note).substr(1);
  if (word == Word::beats) {
    for (const Beat& beat : parse_news(rest, now_seconds(), ranks())) report_beat(beat);
    return;
  }
  const size_t space = std::min(rest.find(' '), rest.size());
  const auto rank = to_number<int>(rest.substr(0, space));
  if (!rank || *rank < 0 || *rank >= ranks()) throw Error("a heartbeat of no rank");
  if (word == Word::left && *rank == child) {
    children_.at(child).left_at = now_seconds();
    return;
  }
  report(word, *rank, std::string(rest.substr(std::min(space + 1, rest.size()))));
}

void Heartbeat::Thread::report(char word, int rank, const std::string& text) {
  if (rank_ != 0) {
    const std::string note = fmt::format("{}{} {}", word, rank, text);
    if (parent_) parent_->queue(std::make_shared<const std::string>(note));
    return;
  }
  RankStatus& status = statuses_[static_cast<size_t>(rank)];
  status.heard = now_seconds();
  if (word == Word::left) status.left = true;
  if (word == Word::failed) status.failure = text;
  // A rank that has reconnected to rank 0 has left its parent, which cannot know why.
  const bool is_here = children_.contains(rank);
  if (word == Word::gone) status.gone = !status.left && status.failure.empty() && !is_here;
}

void Heartbeat::Thread::report_beat(const Beat& beat) {
  if (rank_ != 0) return news_.add(beat);
  RankStatus& status = statuses_[static_cast<size_t>(beat.rank)];
  status.heard = std::max(status.heard, beat.heard);
  if (beat.phase == status.phase && beat.operations == status.operations) return;
  if (!beat.phase.empty()) status.phase = beat.phase;
  status.operations = beat.operations;
  status.moved = now_seconds();
}

void Heartbeat::Thread::read_parent() {
  bool is_there = false;
  try {
    is_there = parent_->exchange([] { return true; }, [&](auto note) { heed_parent(note); });
  } catch (const Error&) {  // not what a rank sends
  }
  if (!is_there) return reconnect();
  const double silence = now_seconds() - parent_heard_;
  if (parent_rank_ == 0) {
    // Rank 0 judges all others, and those that are connected to it judge rank 0.
    if (silence > settings_.silence_seconds)
      end_without_first(fmt::format("has been silent for {:.0f} s", silence));
    return;
  }
  // A parent that hangs must not make those below it look as if they hung, too.
  const double patience = std::max(3 * beat_seconds, settings_.silence_seconds / 4);
  if (silence > patience) reconnect();
}

void Heartbeat::Thread::heed_parent(const std::string& note) {
  parent_heard_ = now_seconds();
  if (note.empty() || note.front() != Word::end) return;
  tell_children(Word::end);
  flush(settle_seconds);
  is_told_to_end() ? end_as_told() : end_process();
}

void Heartbeat::Thread::reconnect() {
  const bool leaves = is_leaving();
  if (parent_rank_ == 0) {
    if (!leaves) end_without_first("has gone");
    return parent_.reset();
  }
  if (!leaves && is_told_to_end()) end_as_told();
  try {
    connect_to(0, now_seconds() + farewell_seconds);
    own_due_ = 0;
  } catch (const Error&) {
    if (!leaves) end_process();
    parent_.reset();
  }
}

// Only one of the remaining ranks prints it.
void Heartbeat::Thread::end_without_first(const std::string& what) {
  if (rank_ == 1) fmt::print(stderr, "{}: rank 0 on {} {}\n", settings_.program, host_of(0), what);
  tell_children(Word::end);
  flush(settle_seconds);
  end_process();
}

bool Heartbeat::Thread::is_leaving() {
  const std::lock_guard lock(mutex_);
  return leaving_;
}

void Heartbeat::Thread::own_news(double now) {
  std::string failure;
  {
    const std::lock_guard lock(mutex_);
    if (changed_ || now >= own_due_) {
      report_beat({rank_, started_operations(), now, phase_});
      if (changed_) news_due_ = now;
      changed_ = false;
    }
    failure = failure_;
    if (leaving_ && left_since_ == 0) {
      left_since_ = now;
      news_due_ = now;
    }
  }
  if (!failure.empty() && !told_failure_) report(Word::failed, rank_, failure);
  told_failure_ = !failure.empty();
  if (now < own_due_) return;
  own_due_ = now + beat_seconds;
  tell_children(Word::alive);
  speak_for_ending_children(now);
}

// They send nothing themselves while their processes end, which takes seconds where GPUs have to be
// given back. The text changes, which counts as progress.
void Heartbeat::Thread::speak_for_ending_children(double now) {
  for (const auto& [rank, child] : children_) {
    const double seconds = now - child.left_at;
    if (child.left_at > 0 && seconds < settings_.ending_seconds)
      report_beat({rank, 0, now, fmt::format("ending its process for {:.0f} s", seconds)});
  }
}

void Heartbeat::Thread::pass_on(double now) {
  if (!parent_ || now < news_due_ || news_.empty()) return;
  if (parent_->has_to_send()) return;  // it is slow, or hangs: what is newer replaces what is old
  parent_->queue(
      std::make_shared<const std::string>(std::string(1, Word::beats) + news_.take(now)));
  news_due_ = now + between_news_seconds;
}

void Heartbeat::Thread::tell_children(char word) {
  const auto note = std::make_shared<const std::string>(1, word);
  for (auto& [rank, child] : children_) {
    if (!child.link.has_to_send() || word == Word::end) child.link.queue(note);
  }
}

// A launcher sends SIGTERM because a rank has died, or to end the whole job. Each rank that gets it
// reports that, so that rank 0 can distinguish it from the dead one. It stays for a moment, because
// the errors of other ranks would be reported first, and reports of its children may be on their
// way.
void Heartbeat::Thread::heed_end(double now) {
  if (told_since_ == 0) {
    told_since_ = now;
    if (rank_ != 0) report(Word::failed, rank_, "was ended by SIGTERM");
  }
  if (now - told_since_ < (rank_ == 0 ? 1 : 2) * settle_seconds) return;
  if (rank_ != 0) end_as_told();
  const bool any_dead = std::ranges::any_of(statuses_, &RankStatus::gone);
  if (any_dead) end_all(end_reason(statuses_, now, 0, settings_.silence_seconds));
  tell_children(Word::end);
  flush(settle_seconds);
  await_children(settle_seconds);
  end_as_told();
}

void Heartbeat::Thread::flush_parent(double seconds) {
  const double deadline = now_seconds() + seconds;
  try {
    while (parent_ && parent_->has_to_send() && now_seconds() < deadline) {
      parent_->send();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (const Error&) {
  }
}

// Sends what is due, for a moment at most.
void Heartbeat::Thread::flush(double seconds) {
  const double deadline = now_seconds() + seconds;
  bool more = true;
  while (more && now_seconds() < deadline) {
    more = false;
    for (auto& [rank, child] : children_) {
      try {
        child.link.send();
        more = more || child.link.has_to_send();
      } catch (const Error&) {  // it has ended already
        child.link = NoteLink(-1);
      }
    }
    if (more) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Closing a socket with unread notes in it would take the last word to the other side away from it:
// TCP then resets the connection. Reads until the children have ended, for a moment at most.
void Heartbeat::Thread::await_children(double seconds) {
  const double deadline = now_seconds() + seconds;
  std::array<char, 4096> unread;
  while (!children_.empty() && now_seconds() < deadline) {
    std::erase_if(children_, [&](const auto& child) {
      const ssize_t got =
          ::recv(child.second.link.socket(), unread.data(), unread.size(), MSG_DONTWAIT);
      return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// A rank goes when all below it have gone, whose last reports it passes on. Rank 0 waits for all,
// and names one that stays away. If rank 0 does not watch all, nobody waits for long.
bool Heartbeat::Thread::may_leave(double now) {
  if (left_since_ == 0) return false;
  const bool is_watched = watches_all_ && (rank_ == 0 || parent_);
  const bool late = !is_watched && now - left_since_ > farewell_seconds;
  if (rank_ == 0) return all_left() || late;
  if (!children_.empty() && !late) return false;
  if (!parent_) return true;
  report(Word::left, rank_, "");
  flush_parent(farewell_seconds);
  return true;
}

bool Heartbeat::Thread::all_left() const {
  return std::ranges::all_of(statuses_, [](const RankStatus& life) { return life.left; });
}

void Heartbeat::Thread::end_all(const std::string& why) {
  fmt::print(stderr, "{}: {}\n", settings_.program, why);
  if (over_nccl_) fmt::print(stderr, "{}", ras_report());
  tell_children(Word::end);
  flush(settle_seconds);
  await_children(settle_seconds);
  end_process();
}

void Heartbeat::Thread::judge(double now) {
  if (left_since_ > 0) statuses_[0].left = true;
  if (left_since_ > 0 && all_left()) return;
  const std::string why =
      end_reason(statuses_, now, settings_.timeout_seconds, settings_.silence_seconds);
  if (why.empty()) return;
  if (trouble_since_ == 0) trouble_since_ = now;
  if (now - trouble_since_ >= settle_seconds) end_all(why);
}

}  // namespace slipway::bandwidth
