// Thousands of ranks that find each other in virtual time.
#include "nccl-tests/rendezvous.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <random>

#include <fmt/core.h>

#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

// What a rank of the virtual cluster does wrong, and when.
enum class RankFault {
  none,
  never_comes,
  dies_after_joining,
  dies_attached,
  hangs_after_joining,
  hangs_attached
};

struct RankTraffic {
  int64_t messages = 0, bytes = 0, most_links = 0;
};

// Every rank serves one message after the other, and each takes it some time; between ranks there
// is latency. The costs are rounded up from what real ranks need: a handshake is four HMACs.
class VirtualCluster {
 public:
  static constexpr double latency = 100e-6, per_message = 20e-6, per_byte = 1e-9,
                          handshake = 400e-6;
  static constexpr double deadline = 90;

  VirtualCluster(int size, unsigned seed, double start_within = 1)
      : size_(size),
        random_(seed),
        faults_(static_cast<size_t>(size), RankFault::none),
        machines_(static_cast<size_t>(size)),
        busy_(static_cast<size_t>(size), 0),
        links_(static_cast<size_t>(size), 0),
        traffic_(static_cast<size_t>(size)),
        start_within_(start_within) {}

  void set_fault(int rank, RankFault fault) { faults_.at(static_cast<size_t>(rank)) = fault; }

  // Until every rank that still runs has met the others or failed. Returns the virtual seconds.
  double run() {
    machine(0).emplace(size_, contact(0));
    std::uniform_real_distribution<double> start(0, start_within_);
    for (int rank = 1; rank < size_; ++rank) {
      if (fault(rank) != RankFault::never_comes)
        after(start(random_), [this, rank] { join(rank); });
    }
    watch(0, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.when;
      event.what();
    }
    return met_at_;
  }

  const Rendezvous& at(int rank) { return *machine(rank); }
  bool has_met(int rank) {
    return machine(rank) && machine(rank)->is_over() && machine(rank)->failure().empty();
  }
  const RankTraffic& traffic(int rank) const { return traffic_.at(static_cast<size_t>(rank)); }

 private:
  struct Event {
    double when;
    int64_t number;
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return std::pair(when, number) > std::pair(other.when, other.number);
    }
  };

  RankFault fault(int rank) const { return faults_.at(static_cast<size_t>(rank)); }
  std::optional<Rendezvous>& machine(int rank) { return machines_.at(static_cast<size_t>(rank)); }
  static Contact contact(int rank) {
    return {rank, fmt::format("10.0.{}.{}", rank / 256, rank % 256), 20000 + rank,
            fmt::format("node-{}", rank / 8)};
  }
  bool is_dead(int rank) const {
    return fault(rank) == RankFault::dies_after_joining || fault(rank) == RankFault::dies_attached;
  }

  void after(double seconds, std::function<void()> what) {
    events_.push({now_ + seconds, ++number_, std::move(what)});
  }

  // `what` happens on `rank`, as soon as it has time.
  void serve(int rank, double cost, int64_t bytes, std::function<void()> what) {
    double& busy = busy_.at(static_cast<size_t>(rank));
    busy = std::max(busy, now_) + cost;
    RankTraffic& traffic = traffic_.at(static_cast<size_t>(rank));
    ++traffic.messages;
    traffic.bytes += bytes;
    after(busy - now_, std::move(what));
  }

  void join(int rank) {
    after(3 * latency, [this, rank] {
      serve(0, handshake, 1500, [this, rank] {
        const double left = deadline - now_;
        const Referral referral = machine(0)->join(contact(rank), left);
        post(0);
        if (fault(rank) == RankFault::dies_after_joining ||
            fault(rank) == RankFault::hangs_after_joining)
          return;
        after(latency, [this, rank, referral] { attach(rank, referral); });
      });
    });
  }

  void attach(int rank, const Referral& referral) {
    machine(rank).emplace(size_, rank, referral);
    watch(rank, now_);
    const int parent = referral.parent.rank;
    if (is_dead(parent)) return lose(rank, parent);
    add_link(rank);
    after(3 * latency, [this, rank, parent] {
      serve(parent, handshake, 500, [this, rank, parent] {
        if (!runs(parent)) return;
        add_link(parent);
        machine(parent)->attach(contact(rank));
        post(parent);
        if (fault(rank) == RankFault::dies_attached) lose(parent, rank);
      });
    });
  }

  void add_link(int rank) {
    const int64_t links = ++links_.at(static_cast<size_t>(rank));
    RankTraffic& traffic = traffic_.at(static_cast<size_t>(rank));
    traffic.most_links = std::max(traffic.most_links, links);
  }

  bool runs(int rank) const {
    return machines_.at(static_cast<size_t>(rank)) && (fault(rank) == RankFault::none || rank == 0);
  }

  void lose(int rank, int other) {
    after(latency, [this, rank, other] {
      if (!runs(rank)) return;
      machine(rank)->lose(other);
      post(rank);
    });
  }

  // Sends what `rank` has to send.
  void post(int rank) {
    if (machine(rank)->is_over()) met_at_ = std::max(met_at_, now_);
    for (const Rendezvous::Letter& letter : machine(rank)->letters()) {
      const auto bytes = static_cast<int64_t>(letter.text->size());
      serve(rank, per_message + per_byte * static_cast<double>(bytes), bytes, [=, this] {
        after(latency, [=, this] {
          serve(letter.to, per_message + per_byte * static_cast<double>(bytes), bytes, [=, this] {
            if (!runs(letter.to)) return;
            machine(letter.to)->receive(rank, letter.text);
            post(letter.to);
          });
        });
      });
    }
  }

  // Calls expire() when it is due.
  void watch(int rank, double begin) {
    after(deadline / 200, [=, this] {
      if (!runs(rank) || machine(rank)->is_over()) return;
      const double waited = now_ - begin;
      if (waited > machine(rank)->patience() * (deadline - begin)) {
        machine(rank)->expire(waited > Rendezvous::last_patience * (deadline - begin));
        post(rank);
      }
      watch(rank, begin);
    });
  }

  int size_;
  std::mt19937 random_;
  std::vector<RankFault> faults_;
  std::vector<std::optional<Rendezvous>> machines_;
  std::vector<double> busy_;
  std::vector<int64_t> links_;
  std::vector<RankTraffic> traffic_;
  double start_within_, now_ = 0, met_at_ = 0;
  int64_t number_ = 0;
  std::priority_queue<Event> events_;
};

RankTraffic most_of_others(const VirtualCluster& cluster, int size) {
  RankTraffic most;
  for (int rank = 1; rank < size; ++rank) {
    const RankTraffic& one = cluster.traffic(rank);
    most.messages = std::max(most.messages, one.messages);
    most.bytes = std::max(most.bytes, one.bytes);
    most.most_links = std::max(most.most_links, one.most_links);
  }
  return most;
}

}  // namespace

TEST_CASE("rendezvous: 4,096 ranks meet in linear time, each with a few links and messages") {
  double previous = 0;
  for (const int size : {2, 9, 64, 512, 4096}) {
    VirtualCluster cluster(size, static_cast<unsigned>(size), 0.01);
    const double seconds = cluster.run();
    INFO(size << " ranks");
    for (int rank = 0; rank < size; ++rank) REQUIRE(cluster.has_met(rank));
    CHECK(cluster.at(size - 1).contacts().at(static_cast<size_t>(size) / 2).port ==
          20000 + size / 2);
    // Rank 0 shakes hands with each rank once.
    const RankTraffic first = cluster.traffic(0), others = most_of_others(cluster, size);
    CHECK(first.messages <= size + 5 * Rendezvous::fan_out);
    CHECK(first.bytes <= 2000L * size + 400L * Rendezvous::fan_out * size);
    CHECK(first.most_links <= Rendezvous::fan_out);
    CHECK(others.messages <= 4 * Rendezvous::fan_out + 3);
    CHECK(others.bytes <= 60L * (Rendezvous::fan_out + 1) * size + 5000);
    CHECK(others.most_links <= Rendezvous::fan_out + 1);
    if (previous > 0.1) CHECK(seconds < 8 * 1.3 * previous);
    previous = seconds;
  }
  CHECK(previous < 5);
}

TEST_CASE("rendezvous: ranks that have met leave what follows on their connections alone") {
  VirtualCluster cluster(100, 3);
  cluster.run();
  for (int rank = 0; rank < 100; ++rank) {
    REQUIRE(cluster.has_met(rank));
    for (int other = 0; other < 100; ++other) CHECK(!cluster.at(rank).expects_note_from(other));
  }
}

TEST_CASE("rendezvous: ranks that never come are named") {
  VirtualCluster cluster(600, 1);
  for (const int rank : {5, 17, 18, 19}) cluster.set_fault(rank, RankFault::never_comes);
  cluster.run();
  CHECK(cluster.at(0).failure() == "4 of 600 ranks did not connect to rank 0 on node-0: 5,17-19");
  CHECK(cluster.at(1).failure() == cluster.at(0).failure());
}

TEST_CASE("rendezvous: ranks that never come are named with their hosts, where those are known") {
  const auto failure = [](std::vector<std::string> hosts) {
    Rendezvous first(5, {0, "", 20000, "a.example"});
    first.expect(std::move(hosts), 90);
    first.join({2, "10.0.0.1", 20001, "b"}, 9);
    first.expire();
    return first.failure();
  };
  const std::string begin = "3 of 5 ranks did not connect to rank 0 on a.example: ",
                    end =
                        "; check that their tasks started and that TCP connections reach "
                        "a.example, and set SLIPWAY_START_TIMEOUT if they need more than 90 s";
  CHECK(failure({"a", "a", "b", "c", "c"}) == begin + "1 on a, 3-4 on c" + end);
  CHECK(failure({"a", "b", "c", "d", "b"}) == begin + "1,3-4" + end);  // rank 2 is elsewhere
  CHECK(failure({}) == begin + "1,3-4" + end);
}

TEST_CASE("rendezvous: of very many hosts, some are named") {
  Rendezvous first(100, {0, "", 20000, "n0"});
  std::vector<std::string> hosts;
  for (int rank = 0; rank < 100; ++rank) hosts.push_back(fmt::format("n{}", rank));
  first.expect(hosts, 0);
  first.expire();
  CHECK_THAT(first.failure(), ContainsSubstring("32 on n32, and those on 67 other hosts"));
}

TEST_CASE("rendezvous: a rank that dies or hangs is named, whichever it is, and all ranks end") {
  for (const RankFault fault : {RankFault::dies_after_joining, RankFault::dies_attached,
                                RankFault::hangs_after_joining, RankFault::hangs_attached}) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const int size = 70 + static_cast<int>(seed) * 67;
      const int culprit = 1 + static_cast<int>(seed * 7919) % (size - 1);
      VirtualCluster cluster(size, seed);
      cluster.set_fault(culprit, fault);
      const double seconds = cluster.run();
      INFO("fault " << static_cast<int>(fault) << ", rank " << culprit << " of " << size);
      CHECK_THAT(cluster.at(0).failure(),
                 ContainsSubstring(fmt::format("rank {} on node-{} ", culprit, culprit / 8)));
      CHECK(seconds < 1.1 * VirtualCluster::deadline);
      for (int rank = 0; rank < size; ++rank) CHECK_FALSE(cluster.has_met(rank));
    }
  }
}

TEST_CASE("rendezvous: the rank that joined first names rank 0, if it cannot reach it any more") {
  for (const int turn : {1, 2}) {
    Rendezvous other(3, turn, {turn, 9, {0, "", 20000, "a"}});
    other.expire(true);  // before it is attached
    CHECK(other.failure() == "rank 0 on a does not answer");
    CHECK(other.speaks() == (turn == 1));
  }
}

TEST_CASE("rendezvous: of several culprits, those that rank 0 knows of are named") {
  VirtualCluster cluster(300, 4);
  cluster.set_fault(7, RankFault::hangs_attached);
  cluster.set_fault(250, RankFault::never_comes);
  cluster.run();
  CHECK_THAT(cluster.at(0).failure(), ContainsSubstring(": 250"));
}

TEST_CASE("rendezvous: two processes that are the same rank are named") {
  Rendezvous first(3, {0, "", 20000, "a"});
  CHECK(first.join({1, "10.0.0.1", 20001, "b"}, 9).turn == 1);
  CHECK(first.join({1, "10.0.0.1", 20001, "b"}, 9).turn == 1);  // it asked again
  CHECK(first.failure().empty());
  first.join({1, "10.0.0.2", 20001, "c"}, 9);
  CHECK(first.failure() == "two processes are rank 1: one on b and one on c");
}

TEST_CASE("rendezvous: what rank 0 answers is read again, and nothing else") {
  const Referral sent{9, 12.5, {1, "10.0.0.7", 4711, "node-1"}};
  const Referral read = parse_referral(to_text(sent));
  CHECK(read.turn == 9);
  CHECK(read.seconds_left == 12.5);
  CHECK(name_of(read.parent) == "rank 1 on node-1");
  CHECK(parse_referral(to_text({1, 1, {0, "", 1, "a"}})).parent.address.empty());
  for (const char* text : {"", "1 2", "0 1 1 - 1 a", "x 1 1 - 1 a", "1 1 1 - y a", "1 1 1 - 1 a b"})
    CHECK_THROWS(parse_referral(text));
}
