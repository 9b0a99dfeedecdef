// The keeper of a node. Its main thread never waits for more than news; reading, copying and
// removing take place on other threads.
#include "launcher/checkpoint/keeper.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "common/error.h"
#include "common/pending_clients.h"
#include "common/tcp.h"
#include "common/wire.h"
#include "launcher/checkpoint/disk.h"
#include "launcher/checkpoint/messages.h"
#include "launcher/checkpoint/renames.h"
#include "launcher/checkpoint/state_file.h"
#include "launcher/checkpoint/store.h"
#include "launcher/checkpoint/transfer.h"
#include "launcher/checkpoint/work_queue.h"

namespace slipway::checkpoint {
namespace {

constexpr auto patience = std::chrono::seconds(10);  // with another keeper
constexpr size_t readers = 2, copiers = 4, restorers = 4;
constexpr int most_served = 32;  // at a time; others come again

Fd listen_for_keepers() {
  Fd fd = listen_on_tcp();
  if (!fd) throw_errno("cannot listen for other nodes");
  return fd;
}

struct DiskParts {  // of a Restore
  std::string folder;
  int64_t parts = 0;
};

class Keeper {
 public:
  Keeper(int socket, const KeeperSettings& settings)
      : settings_(settings),
        wire_(Fd(socket), longest_order),
        store_(settings.root, settings.most_bytes),
        state_(settings.root),
        clients_(listen_for_keepers(), settings.own),
        news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        off_(!settings.off.empty()) {
    if (!news_) throw_errno("eventfd");
    if (off_) state_.turn_off();
    if (off_) adopt();
    tell(Open{port_of(clients_.listener()), settings.most_bytes, settings.block});
    if (off_) tell(Off{settings.off});
  }

  void run() {
    while (wire_.receive()) {
      while (const auto message = wire_.next()) {
        const ToKeeper order = decode<ToKeeper>(*message);
        std::visit([this](const auto& each) { handle(each); }, order);
      }
      for (const NewStep& each : renames_.read()) take(each);
      for (PendingClients::Arrival& each : clients_.poll()) admit(std::move(each));
      send_news();
      state_.retry();
      wait();
    }
  }

 private:
  void wait() {
    const bool unsent = wire_.unsent() > 0;
    std::array<pollfd, 4> fds = {
        {{wire_.fd(), static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN), 0},
         {renames_.fd(), POLLIN, 0},
         {clients_.fd(), POLLIN, 0},
         {news_.get(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), 1000);
    wire_.flush();
  }

  // After a keeper that ended: programs may still use their folders.
  void adopt() {
    store_.sweep();
    std::vector<int64_t> ranks = store_.leftover_ranks();
    renames_.watch(store_.root(), ranks);
    store_.sweep();
  }

  // Any thread may tell something.
  void tell(FromKeeper message) {
    {
      const std::lock_guard lock(mutex_);
      to_send_.push_back(std::move(message));
    }
    const uint64_t one = 1;
    (void)!::write(news_.get(), &one, sizeof one);
  }

  void send_news() {
    uint64_t number = 0;
    (void)!::read(news_.get(), &number, sizeof number);
    std::vector<FromKeeper> messages;
    {
      const std::lock_guard lock(mutex_);
      messages.swap(to_send_);
    }
    for (const FromKeeper& each : messages) wire_.queue(encode(each));
    wire_.flush();
  }

  // --- what programs write

  void take(const NewStep& news) {
    const std::filesystem::path folder =
        rank_folder(store_.root(), news.rank) / fmt::format("step-{}", news.step);
    if (off_) {
      store_.discard(folder);
      return reading_.put([this] { store_.sweep(); });
    }
    reading_.put([this, news, folder, attempt = store_.attempt()] {
      read(news, folder, attempt);
      store_.sweep();
    });
  }

  void read(const NewStep& news, const std::filesystem::path& folder, int64_t attempt) try {
    const auto cancelled = [&] { return off_ || store_.attempt() != attempt; };
    const auto manifest = std::make_shared<const Manifest>(read_step(folder, cancelled));
    if (store_.add_own(attempt, news.rank, news.step, manifest))
      tell(Kept{attempt, news.rank, news.step, size_of(*manifest), digest_of(*manifest)});
  } catch (const MemoryFull& error) {
    turn_off(error.what());
  } catch (const std::exception& error) {
    if (off_) return store_.discard(folder);  // it was turned off meanwhile
    if (store_.attempt() != attempt) return;
    // Once for each rank: a program that does this does it at each step.
    if (std::lock_guard lock(mutex_); !told_.insert(news.rank).second) return;
    tell(Notice{
        fmt::format("step {} of rank {} is not kept: {}", news.step, news.rank, error.what())});
  }

  void turn_off(const std::string& why) {
    if (off_.exchange(true)) return;
    state_.turn_off();
    store_.close();
    store_.sweep();
    tell(Off{why});
  }

  // --- copies for others, and of others

  void admit(PendingClients::Arrival arrival) {
    const auto proven =
        check_answer(settings_.key, keeper_purpose, arrival.greeting, arrival.answer);
    if (!proven || served_ >= most_served) return;
    const std::string confirmation =
        make_confirmation(settings_.key, keeper_purpose, arrival.greeting, arrival.answer);
    // Fits into the buffer of a new connection.
    (void)!::send(arrival.socket.get(), confirmation.data(), confirmation.size(),
                  MSG_NOSIGNAL | MSG_DONTWAIT);
    ++served_;
    std::thread([this, socket = std::move(arrival.socket)]() mutable {
      try {
        PeerChannel peer(std::move(socket), patience);
        serve_step(peer, [this](const Want& want) {
          return store_.find(want.rank, want.step, want.digest);
        });
      } catch (const std::exception&) {
        // The other keeper reports it.
      }
      --served_;
    }).detach();
  }

  void get_from(const Source& source, int64_t attempt, const Want& want) try {
    const auto arrival = store_.arrival();
    PeerChannel peer(
        connect_to_keeper(source, settings_.key, settings_.node, settings_.own, patience),
        patience);
    auto manifest = std::make_shared<const Manifest>(fetch_step(
        peer, want, arrival->folder(), [&](const Manifest& each) { return arrival->reserve(each); },
        [&] { return off_ || store_.attempt() != attempt; }));
    store_.add_copy(attempt, want.rank, want.step, std::move(manifest), *arrival);
  } catch (const MemoryFull&) {
    // Others may have filled it.
    if (!store_.give_up_old_files()) throw;
    get_from(source, attempt, want);
  }

  // Empty if it worked. Tries one source after the other.
  std::string get(int64_t attempt, int64_t rank, int64_t step, const std::string& digest,
                  const std::vector<Source>& sources) {
    if (store_.has(rank, step, digest)) return "";
    std::string why = "no node has it";
    for (const Source& source : sources) {
      try {
        get_from(source, attempt, {rank, step, digest});
        return "";
      } catch (const MemoryFull&) {
        throw;
      } catch (const std::exception& error) {
        why = fmt::format("from {}: {}", source.node, error.what());
      }
    }
    return why;
  }

  void load(int64_t attempt, int64_t step, const RestoredRank& to, const DiskParts& disk) {
    store_.give_up_old_files();  // there may be less memory than at the time of that step
    const auto arrival = store_.arrival();
    const int64_t part = disk.parts > 0 ? to.rank % disk.parts : to.rank;
    auto manifest = std::make_shared<const Manifest>(read_part(
        disk.folder, step, part, to.digest, arrival->folder(),
        [&](int64_t size) { arrival->reserve(size); },
        [&] { return off_ || store_.attempt() != attempt; }));
    store_.add_copy(attempt, to.rank, step, std::move(manifest), *arrival);
  }

  void handle(const Copy& order) {
    if (off_) return;
    copying_.put([this, order, attempt = store_.attempt()] {
      if (off_ || store_.attempt() != attempt) return;
      try {
        const std::string why = get(attempt, order.rank, order.step, order.digest, order.sources);
        const ServedStep step = store_.find(order.rank, order.step, order.digest);
        if (step.manifest)
          return tell(Kept{attempt, order.rank, order.step, size_of(*step.manifest), order.digest});
        tell(Missing{attempt, order.rank, order.step, why});
      } catch (const MemoryFull& error) {
        turn_off(error.what());
      }
    });
  }

  // --- to disk and from there

  // Runs `work` on the thread for the disk, and reports what went wrong, if anything.
  void on_disk(std::function<void(const Cancelled&)> work,
               std::function<FromKeeper(std::string)> report) {
    writing_.put(
        [this, work = std::move(work), report = std::move(report), attempt = store_.attempt()] {
          std::string trouble;
          try {
            work([&] { return off_ || store_.attempt() != attempt; });
          } catch (const std::exception& error) {
            trouble = error.what();
          }
          tell(report(trouble));
        });
  }

  void handle(const Write& order) {
    on_disk(
        [this, order](const Cancelled& cancelled) {
          for (const auto& [rank, digest] : order.parts) {
            const ServedStep step = store_.find(rank, order.to.step, digest);
            if (!step.manifest) throw Error("it is no longer in memory");
            write_part(order.to, rank, step.folder, *step.manifest, cancelled);
          }
        },
        [attempt = store_.attempt(), step = order.to.step](std::string trouble) {
          return Written{attempt, step, std::move(trouble)};
        });
  }

  void handle(const Publish& order) {
    on_disk([order](const Cancelled&) { publish(order.to, order.digests); },
            [attempt = store_.attempt(), step = order.to.step](std::string trouble) {
              return Published{attempt, step, std::move(trouble)};
            });
  }

  void handle(const Find& order) {
    writing_.put([this, order] {
      FoundStep found = newest_on_disk(order.folder, order.below);
      tell(Found{order.attempt, found.step, std::move(found.digests), std::move(found.job),
                 std::move(found.trouble)});
    });
  }

  // --- between attempts: no task runs

  void handle(const Restore& order) {
    try {
      state_.complete(order.step);
      const std::vector<RestoredRank> missing = store_.begin(order);
      std::vector<int64_t> ranks;
      for (const RestoredRank& each : order.ranks) ranks.push_back(each.rank);
      renames_.watch(store_.root(), ranks);
      reading_.put([this] { store_.sweep(); });
      restore(order, missing);
    } catch (const Error& error) {
      tell(Restored{order.attempt, order.step, error.what()});
    }
  }

  void restore(const Restore& order, const std::vector<RestoredRank>& missing) {
    const int64_t attempt = order.attempt, step = order.step;
    if (off_ || missing.empty()) return tell(Restored{attempt, step, ""});
    struct Progress {
      std::mutex mutex;
      size_t left = 0;
      std::string trouble;
    };
    const auto progress = std::make_shared<Progress>();
    progress->left = missing.size();
    for (const RestoredRank& each : missing) {
      restoring_.put(
          [this, attempt, step, disk = DiskParts{order.folder, order.parts}, each, progress] {
            std::string why;
            try {
              if (disk.folder.empty()) {
                why = get(attempt, each.rank, step, each.digest, each.sources);
              } else {
                load(attempt, step, each, disk);
              }
            } catch (const std::exception& error) {
              why = error.what();
            }
            const std::lock_guard lock(progress->mutex);
            if (!why.empty()) progress->trouble = fmt::format("rank {} {}", each.rank, why);
            if (--progress->left == 0) tell(Restored{attempt, step, progress->trouble});
          });
    }
  }

  void handle(const Retire& order) {
    if (off_) return;
    state_.complete(order.complete);
    store_.retire(order);
    reading_.put([this] { store_.sweep(); });
  }

  void handle(const TurnOff&) {
    off_ = true;
    state_.turn_off();
    store_.close();
    reading_.put([this] { store_.sweep(); });
  }

  KeeperSettings settings_;
  Wire wire_;
  Store store_;
  StateFile state_;
  Renames renames_;
  PendingClients clients_;
  Fd news_;
  std::atomic<bool> off_;
  std::atomic<int> served_ = 0;
  std::mutex mutex_;
  std::vector<FromKeeper> to_send_;
  std::set<int64_t> told_;  // ranks
  WorkQueue reading_{readers}, copying_{copiers}, restoring_{restorers}, writing_{1};
};

}  // namespace

void run_keeper(int socket, const KeeperSettings& settings) {
  ::prctl(PR_SET_NAME, "slipway-keeper");
  ::signal(SIGPIPE, SIG_IGN);  // sendfile() has no MSG_NOSIGNAL
  ::signal(SIGIO, SIG_IGN);    // of leases
  std::string why;
  try {
    // Never destroyed: its threads end with the process.
    auto* keeper = new Keeper(socket, settings);
    keeper->run();
  } catch (const std::exception& error) {
    Wire(Fd(::dup(socket)), 0).put(encode(FromKeeper(Off{error.what()})));
  }
  std::error_code ignored;
  std::filesystem::remove_all(settings.root, ignored);
  ::_exit(0);
}

}  // namespace slipway::checkpoint
