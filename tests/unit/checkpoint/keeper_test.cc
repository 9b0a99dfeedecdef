// Tests of keepers as real processes: they copy over TCP, are killed, and clean up.
#include "launcher/checkpoint/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/wire.h"
#include "launcher/checkpoint/board.h"
#include "launcher/checkpoint/state_file.h"
#include "launcher/checkpoint/store.h"
#include "launcher/checkpoint/transfer.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::checkpoint;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr auto limit = 60s;  // for anything to happen, on a busy machine

// The other nodes know a node by its address.
std::string name_of(size_t node) {
  return "127.0.0." + std::to_string(node + 1);
}

class TestNode {
 public:
  TestNode(size_t number, const Secret& key, int64_t most_bytes) {
    std::array<int, 2> pair = {};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
    fs::create_directory(root());
    pid_ = ::fork();
    if (pid_ == 0) {
      close_all_but({pair[1]});
      run_keeper(pair[1], {root(), name_of(number), "", key, {7, "test"}, most_bytes, ""});
    }
    ::close(pair[1]);
    wire_.emplace(Fd(pair[0]), longest_order);
  }
  ~TestNode() { leave(); }
  TestNode(const TestNode&) = delete;
  TestNode& operator=(const TestNode&) = delete;

  fs::path root() const { return folder_ / "root"; }
  bool is_here() const { return wire_.has_value(); }
  Wire& wire() { return *wire_; }
  // As if the node had lost its power.
  void kill() {
    ::kill(pid_, SIGKILL);
    leave();
  }
  // As if its agent had ended, or was killed.
  void leave() {
    wire_.reset();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  TemporaryDirectory folder_;
  pid_t pid_ = 0;
  std::optional<Wire> wire_;
};

// Keepers and the board that leads them; one rank on each node.
class Cluster {
 public:
  explicit Cluster(size_t nodes, int64_t copies = 2, int64_t most_bytes = int64_t{1} << 30)
      : Cluster(nodes, Board(copies), most_bytes) {}
  Cluster(size_t nodes, Board with, int64_t most_bytes = int64_t{1} << 30)
      : board(std::move(with)) {
    for (size_t i = 0; i < nodes; ++i)
      nodes_.push_back(std::make_unique<TestNode>(i, key_, most_bytes));
  }

  void begin(const std::vector<size_t>& on) {
    on_ = on;
    std::vector<std::string> names;
    for (const size_t node : on) names.push_back(name_of(node));
    until([&] { return board.has_opened(names); });
    board.begin(++attempt_, {names, 1});
    until([&] { return board.is_ready(); });
  }

  void lose(size_t node) {
    nodes_[node]->kill();
    board.gone(name_of(node));
  }

  TestNode& node(size_t number) { return *nodes_[number]; }
  fs::path folder(size_t rank) const {
    return rank_folder(nodes_[on_[rank]]->root(), static_cast<int64_t>(rank));
  }

  static std::string content(size_t rank, int64_t step, size_t size) {
    std::string text = std::to_string(rank) + "," + std::to_string(step) + ";";
    text.resize(size, static_cast<char>('a' + rank));
    return text;
  }
  void write(int64_t step, size_t size = 1000) const {
    for (size_t rank = 0; rank < on_.size(); ++rank) {
      const fs::path to = folder(rank) / ("step-" + std::to_string(step));
      fs::create_directories(to.native() + ".tmp/sub");
      std::ofstream(to.native() + ".tmp/sub/state") << content(rank, step, size);
      fs::rename(to.native() + ".tmp", to);
    }
  }
  // All ranks have this step and nothing else.
  void check(int64_t step, size_t size = 1000) const {
    for (size_t rank = 0; rank < on_.size(); ++rank) {
      size_t entries = 0;
      for (const auto& entry : fs::directory_iterator(folder(rank))) {
        ++entries;
        CHECK(entry.path().filename() == "step-" + std::to_string(step));
        CHECK((read_file(entry.path() / "sub/state") == content(rank, step, size)));
      }
      CHECK(entries == 1);
    }
  }

  void until(const std::function<bool()>& condition) {
    for (const auto end = std::chrono::steady_clock::now() + limit; !condition(); pump())
      if (std::chrono::steady_clock::now() > end) throw Error("it does not happen");
  }

  Board board;
  std::vector<std::string> said;

 private:
  void pump() {
    std::vector<pollfd> fds;
    for (const auto& node : nodes_)
      if (node->is_here()) fds.push_back({node->wire().fd(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), 5);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i]->is_here()) continue;
      nodes_[i]->wire().flush();
      nodes_[i]->wire().receive();
      while (const auto message = nodes_[i]->wire().next())
        board.heard(name_of(i), decode<FromKeeper>(*message));
    }
    for (const Order& each : board.orders())
      for (size_t i = 0; i < nodes_.size(); ++i)
        if (name_of(i) == each.node && nodes_[i]->is_here())
          nodes_[i]->wire().put(encode(each.message));
    for (const std::string& text : board.news()) said.push_back(text);
  }

  Secret key_ = random_secret();
  std::vector<std::unique_ptr<TestNode>> nodes_;
  std::vector<size_t> on_;
  int64_t attempt_ = 0;
};

}  // namespace

TEST_CASE("keeper: steps are copied to other nodes, and a spare gets those of a lost node") {
  Cluster cluster(5);
  cluster.begin({0, 1, 2, 3});
  cluster.write(20);
  cluster.until([&] { return cluster.board.complete_step() == 20; });
  CHECK(read_file(cluster.node(1).root() / "copies/0/step-20/sub/state") ==
        Cluster::content(0, 20, 1000));
  const auto state = [&](size_t node) { return read_file(state_path(cluster.node(node).root())); };
  cluster.until([&] { return state(0) == "slipway checkpoints 1\ncomplete 20\n"; });
  cluster.lose(2);
  cluster.begin({0, 1, 4, 3});
  CHECK(cluster.board.restored_text() == "each rank has step 20 from memory");
  cluster.check(20);
  CHECK(state(4) == "slipway checkpoints 1\ncomplete 20\n");
  cluster.write(40);
  cluster.until([&] { return cluster.board.complete_step() == 40; });
}

TEST_CASE("keeper: another job starts from what was written to disk") {
  const TemporaryDirectory disk;
  const auto with_disk = [&] { return Board(1, {disk / "steps", 20, "7"}); };
  constexpr size_t size = 1'500'000;
  {
    Cluster cluster(3, with_disk());
    cluster.begin({0, 1, 2});
    for (const int64_t step : {20, 30, 40}) {
      cluster.write(step, size);
      cluster.until([&] { return cluster.board.complete_step() == step; });
      cluster.until([&] { return !cluster.board.is_writing_to_disk(); });
    }
  }
  Cluster cluster(3, with_disk());
  cluster.begin({0, 1, 2});
  CHECK(cluster.board.restored_text() ==
        "each rank has step 40 from " + (disk / "steps").native() + ", written by job 7");
  cluster.check(40, size);
  cluster.until([&] { return cluster.board.complete_count() == 1; });  // copies, too
}

TEST_CASE("keeper: it removes everything when its agent is gone") {
  Cluster cluster(3);
  cluster.begin({0, 1, 2});
  cluster.write(20);
  cluster.until([&] { return cluster.board.complete_step() == 20; });
  cluster.node(0).leave();
  CHECK(!fs::exists(cluster.node(0).root()));
}

TEST_CASE("keeper: nodes that are killed at any moment of a copy leave no torn step") {
  constexpr size_t size = 2'500'000;
  std::minstd_rand random(26);
  for (int round = 0; round < 12; ++round) {
    Cluster cluster(6);
    cluster.begin({0, 1, 2, 3});
    for (const int64_t step : {10, 20}) {
      cluster.write(step, size);
      cluster.until([&] { return cluster.board.complete_step() == step; });
    }
    cluster.write(40, size);  // its copies are written over those of step 10
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(random() % 60);
    cluster.until([&] { return std::chrono::steady_clock::now() > end; });
    const size_t one = random() % 4;
    const size_t other = (one + 1 + random() % 3) % 4;
    cluster.lose(one);
    cluster.lose(other);
    std::vector<size_t> next = {0, 1, 2, 3};
    next[one] = 4;
    next[other] = 5;
    cluster.begin(next);
    const int64_t step = cluster.board.restored_step();
    CHECK((step == 20 || step == 40));
    cluster.check(step, size);
  }
}

TEST_CASE("keeper: a folder that cannot be a step is reported once, and stays the program's") {
  Cluster cluster(2, 1);
  cluster.begin({0, 1});
  for (const int64_t step : {20, 40}) {
    const fs::path to = cluster.folder(0) / ("step-" + std::to_string(step));
    fs::create_directory(to.native() + ".tmp");
    fs::create_symlink("/etc/passwd", to.native() + ".tmp/state");
    fs::rename(to.native() + ".tmp", to);
  }
  cluster.write(60);
  cluster.until([&] { return cluster.board.complete_step() == 60; });
  // The first in the folder's list, if it sees both at once.
  const std::string why = " of rank 0 is not kept: `state` is a symbolic link, not a file";
  CHECK((cluster.said[0] == "127.0.0.1: step 20" + why ||
         cluster.said[0] == "127.0.0.1: step 40" + why));
  CHECK(cluster.said.size() == 2);
}

TEST_CASE("keeper: when the memory does not suffice, it removes what programs write from then on") {
  Cluster cluster(2, 1, 2500);
  cluster.begin({0, 1});
  cluster.write(20);
  cluster.until([&] { return cluster.board.complete_step() == 20; });
  cluster.write(40);  // the copies do not fit beside those of step 20
  cluster.until([&] { return cluster.board.is_off(); });
  cluster.until([&] {
    std::ifstream file(state_path(cluster.node(0).root()));
    return std::string(std::istreambuf_iterator<char>(file), {}).ends_with("\noff\n");
  });
  const auto has = [&](int64_t step) {
    return fs::exists(cluster.folder(0) / ("step-" + std::to_string(step)));
  };
  cluster.until([&] { return !has(20) && !has(40); });
  cluster.write(60);
  cluster.until([&] { return !has(60); });
  CHECK(cluster.said.back().starts_with("fast checkpoints are off: 127.0.0."));
  cluster.begin({0, 1});
  CHECK(fs::is_directory(cluster.folder(0)));
}

TEST_CASE("keeper: only who has the job's key can ask for a step") {
  Cluster cluster(2, 1);
  cluster.begin({0, 1});
  std::string error;
  try {
    // The keeper of another job.
    TestNode stranger(2, random_secret(), 1000);
    std::optional<int64_t> port;
    while (!port) {
      pollfd readable = {stranger.wire().fd(), POLLIN, 0};
      ::poll(&readable, 1, 1000);
      stranger.wire().receive();
      if (const auto message = stranger.wire().next())
        if (const auto open = std::get<Open>(decode<FromKeeper>(*message)); open.port > 0)
          port = open.port;
    }
    connect_to_keeper({name_of(2), *port}, random_secret(), "x", {7, "test"}, 2s);
  } catch (const Error& caught) {
    error = caught.what();
  }
  CHECK(error == "it ended the connection, or stopped sending");
}
