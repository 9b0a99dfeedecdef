// The thread of a rank that sends and passes on heartbeats.
#pragma once

#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/fd.h"
#include "common/pending_clients.h"
#include "nccl-tests/heartbeat.h"
#include "nccl-tests/heartbeat_news.h"
#include "nccl-tests/note_link.h"

namespace slipway::bandwidth {

inline constexpr int heartbeat_fan_out = 8;  // of the tree
inline constexpr double farewell_seconds = 5;
// The failure that a rank's death causes in others may arrive before the death is noticed.
inline constexpr double settle_seconds = 0.3;
inline constexpr std::string_view heartbeat_purpose = "slipway heartbeat";

// Whether this process has received SIGTERM.
bool is_told_to_end();

// How many operations this process has started, on any backend.
uint64_t started_operations();

class Heartbeat::Thread {
 public:
  Thread(Backend& backend, Settings settings);
  ~Thread() { leave(); }

  void phase(const std::string& text) {
    const std::lock_guard lock(mutex_);
    phase_ = text;
    changed_ = true;
    wake();
  }

  [[noreturn]] void fail(const std::string& text);
  void leave();

 private:
  struct Child {
    Fd socket;
    NoteLink link;
    double left_at = 0;  // 0: it has not
  };

  int ranks() const { return static_cast<int>(statuses_.size()); }
  const std::string& host_of(int rank) const { return statuses_[static_cast<size_t>(rank)].host; }
  std::string open_listener();
  void connect();
  void connect_to(int rank, double deadline);
  [[noreturn]] void end_process();
  [[noreturn]] void end_without_first(const std::string& what);
  void watch_for_end();
  [[noreturn]] void end_as_told();
  void wake() { (void)!::write(wake_.write.get(), "w", 1); }

  // The thread.
  void run();
  void wait();
  void take_connections();
  void read_children();
  void read_parent();
  void heed_parent(const std::string& note);
  void take_note(int child, const std::string& note);
  void own_news(double now);
  void speak_for_ending_children(double now);
  void heed_end(double now);
  void pass_on(double now);
  void reconnect();
  bool may_leave(double now);
  bool is_leaving();
  void tell_children(char word);
  void flush(double seconds);
  void await_children(double seconds);
  void flush_parent(double seconds);

  // What a rank has reported: on rank 0 it is noted, on others passed on.
  void report(char word, int rank, const std::string& text);
  void report_beat(const Beat& beat);
  void judge(double now);
  bool all_left() const;
  [[noreturn]] void end_all(const std::string& why);

  Settings settings_;
  int rank_;
  bool over_nccl_;
  Pipe wake_;
  Secret key_ = {};
  std::vector<int> ports_;  // by rank, where it listens; 0: it does not
  std::optional<PendingClients> clients_;
  Fd up_;  // to the parent, or to rank 0 if the parent is gone
  std::optional<NoteLink> parent_;
  int parent_rank_ = -1;
  std::map<int, Child> children_;
  std::thread thread_;
  std::atomic<bool> watches_all_ = false;  // since all ranks have connected

  std::mutex mutex_;  // guards what follows, which the thread and its owner share
  std::string phase_, failure_;
  bool changed_ = false, leaving_ = false;

  // Of the thread.
  std::vector<RankStatus> statuses_;  // on others than rank 0, only the hosts are known
  HeartbeatNews news_;
  double own_due_ = 0, news_due_ = 0, parent_heard_ = 0, left_since_ = 0, trouble_since_ = 0,
         told_since_ = 0;
  bool told_failure_ = false;
  struct sigaction before_ = {};  // how the process took SIGTERM
};

}  // namespace slipway::bandwidth
