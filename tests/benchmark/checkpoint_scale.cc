// What fast checkpoints cost the launcher of a large job: checkpoint_scale [NODES [RANKS [STEPS]]],
// 2,048 nodes with eight ranks each and ten steps by default.
//
// One process has the launcher's side, with its own code: connections to agents (Agents), what is
// complete (Board), and the messages of both. Another process plays all agents, over real
// connections: they prove themselves, beat, write a step as soon as the one before is complete, and
// obey orders at once. So nothing is copied, and what is measured is only the launcher's. At the
// end two nodes are lost, and two spares take their places.
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include "common/error.h"
#include "common/wire.h"
#include "launcher/checkpoint/board.h"
#include "launcher/job/agent_connection.h"
#include "launcher/job/agents.h"
#include "tests/benchmark/processor_seconds.h"

namespace {

using namespace slipway;
using namespace slipway::job;
namespace checkpoint = slipway::checkpoint;
using Clock = std::chrono::steady_clock;

constexpr auto beat_every = std::chrono::milliseconds(1250);  // of the default --heartbeat 10
constexpr auto heartbeat = std::chrono::seconds(600);         // both processes share two cores
constexpr int64_t spares = 2, copies = 2, copy_bytes = int64_t{1} << 30;
constexpr auto idle_time = std::chrono::seconds(5);

struct Size {
  int64_t nodes = 2048, ranks = 8, steps = 10;
};

std::string name_of(int64_t node) {
  return fmt::format("cluster-nodeset-{}", node);
}

// --- the other process

struct PlayedAgent {
  std::string name;
  std::unique_ptr<Wire> wire;
  std::vector<int64_t> ranks;
  int64_t attempt = 0;
  int64_t written = 0;  // the last step
};

std::string digest_of(int64_t rank, int64_t step) {
  std::string digest(checkpoint::digest_bytes, 'd');
  for (size_t i = 0; i < 4; ++i) {
    digest[i] = static_cast<char>(rank >> (8 * i));
    digest[i + 4] = static_cast<char>(step >> (8 * i));
  }
  return digest;
}

class PlayedAgents {
 public:
  PlayedAgents(const Size& size, int port, const Secret& key) : size_(size) {
    for (int64_t i = 0; i < size.nodes + spares; ++i) {
      const std::string name = name_of(i);
      Fd socket = connect_to_launcher("127.0.0.1", port, key, name, std::chrono::minutes(5),
                                      this_program());
      agents_.push_back(
          {name, std::make_unique<Wire>(std::move(socket), longest_message), {}, 0, 0});
      // Any ports, so that orders are as long as in a job.
      tell(agents_.back(),
           checkpoint::Open{40000 + i % 20000, copy_bytes * 100, fmt::format("block-{}", i / 64)});
    }
  }

  void run() {
    auto last_beat = Clock::now();
    while (true) {
      std::vector<pollfd> fds;
      for (const PlayedAgent& agent : agents_)
        fds.push_back(
            {agent.wire ? agent.wire->fd() : -1,
             static_cast<short>(agent.wire && agent.wire->unsent() > 0 ? POLLIN | POLLOUT : POLLIN),
             0});
      ::poll(fds.data(), fds.size(), 20);
      const bool beats = Clock::now() - last_beat > beat_every;
      if (beats) last_beat = Clock::now();
      for (size_t i = 0; i < agents_.size(); ++i) {
        if (!agents_[i].wire) continue;
        if (beats) beat(agents_[i]);
        if (fds[i].revents != 0 && !serve(agents_[i])) return;
      }
    }
  }

 private:
  void tell(PlayedAgent& agent, const checkpoint::FromKeeper& message) {
    agent.wire->put(encode(ToLauncher(CheckpointNews{encode(message)})));
  }

  void beat(PlayedAgent& agent) {
    Beat message{agent.attempt, {}};
    for (const int64_t rank : agent.ranks) message.steps.push_back({rank, agent.written, 0});
    agent.wire->put(encode(ToLauncher(message)));
  }

  // False when the launcher is gone.
  bool serve(PlayedAgent& agent) {
    agent.wire->flush();
    const bool there = agent.wire->receive();
    while (const auto message = agent.wire->next()) {
      const ToAgent order = decode<ToAgent>(*message);
      if (const auto* each = std::get_if<CheckpointOrder>(&order))
        std::visit([&](const auto& body) { obey(agent, body); },
                   checkpoint::decode<checkpoint::ToKeeper>(each->bytes));
      if (std::holds_alternative<End>(order)) {  // this node is lost
        agent.wire.reset();
        return true;
      }
    }
    return there;
  }

  void obey(PlayedAgent& agent, const checkpoint::Copy& order) {
    tell(agent, checkpoint::Kept{agent.attempt, order.rank, order.step, copy_bytes, order.digest});
  }
  void obey(PlayedAgent& agent, const checkpoint::Restore& order) {
    agent.attempt = order.attempt;
    agent.ranks.clear();
    for (const auto& each : order.ranks) agent.ranks.push_back(each.rank);
    tell(agent, checkpoint::Restored{order.attempt, order.step, ""});
    if (order.step < 0) write(agent, 1);
  }
  void obey(PlayedAgent& agent, const checkpoint::Retire& order) {
    if (order.complete == agent.written && agent.written < size_.steps)
      write(agent, agent.written + 1);
  }
  void obey(PlayedAgent&, const auto&) {}

  void write(PlayedAgent& agent, int64_t step) {
    agent.written = step;
    for (const int64_t rank : agent.ranks)
      tell(agent, checkpoint::Kept{agent.attempt, rank, step, copy_bytes, digest_of(rank, step)});
  }

  Size size_;
  std::vector<PlayedAgent> agents_;
};

// --- the launcher's

struct Used {
  double seconds = 0, processor = 0;
  int64_t messages_in = 0, bytes_in = 0, messages_out = 0, bytes_out = 0;
};

class PlayedLauncher {
 public:
  explicit PlayedLauncher(const Size& size)
      : size_(size),
        agents_(names(0, size.nodes + spares), heartbeat, "127.0.0.1"),
        board_(copies) {}

  Agents& agents() { return agents_; }
  checkpoint::Board& board() { return board_; }
  static std::vector<std::string> names(int64_t from, int64_t to) {
    std::vector<std::string> all;
    for (int64_t i = from; i < to; ++i) all.push_back(name_of(i));
    return all;
  }

  Used until(const std::function<bool()>& condition) {
    used_ = {};
    const auto begin = Clock::now();
    const double before = processor_seconds();
    while (!condition()) pump();
    used_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    used_.processor = processor_seconds() - before;
    return used_;
  }

 private:
  // As Launcher::pump().
  void pump() {
    for (const AgentEvent& event : agents_.wait(std::chrono::milliseconds(250), -1, true)) {
      if (const auto* news = std::get_if<CheckpointNews>(&event.news)) {
        ++used_.messages_in;
        used_.bytes_in += static_cast<int64_t>(news->bytes.size());
        board_.heard(event.node, checkpoint::decode<checkpoint::FromKeeper>(news->bytes));
      }
      if (std::holds_alternative<Gone>(event.news)) board_.gone(event.node);
    }
    board_.news();
    for (const checkpoint::Order& each : board_.orders()) {
      const std::string bytes = encode(each.message);
      ++used_.messages_out;
      used_.bytes_out += static_cast<int64_t>(bytes.size());
      agents_.queue(each.node, CheckpointOrder{bytes});
    }
    agents_.flush();
  }

  Size size_;
  Agents agents_;
  checkpoint::Board board_;
  Used used_;
};

void print(const char* what, const Used& used, double times) {
  fmt::print("{:<44} {:8.3f} s {:8.3f} CPU s {:9.0f} in, {:7.2f} MB {:9.0f} out, {:7.2f} MB\n",
             what, used.seconds / times, used.processor / times,
             static_cast<double>(used.messages_in) / times,
             static_cast<double>(used.bytes_in) / 1e6 / times,
             static_cast<double>(used.messages_out) / times,
             static_cast<double>(used.bytes_out) / 1e6 / times);
  std::fflush(stdout);
}

int launch(const Size& size) {
  PlayedLauncher launcher(size);
  checkpoint::Board& board = launcher.board();
  const pid_t others = ::fork();
  if (others == 0) {
    PlayedAgents(size, launcher.agents().port(), Secret(launcher.agents().key())).run();
    ::_exit(0);
  }
  fmt::print("{} nodes, {} ranks, {} copies of each; figures of the launcher alone\n", size.nodes,
             size.nodes * size.ranks, copies);
  std::vector<std::string> nodes = PlayedLauncher::names(0, size.nodes);
  const auto all = PlayedLauncher::names(0, size.nodes + spares);
  print("agents connect", launcher.until([&] { return board.has_opened(all); }), 1);
  const auto end = Clock::now() + idle_time;
  const double idle_seconds = std::chrono::duration<double>(idle_time).count();
  print("heartbeats alone, in a second", launcher.until([&] { return Clock::now() > end; }),
        idle_seconds);
  board.begin(1, {nodes, size.ranks});
  print("an attempt begins", launcher.until([&] { return board.is_ready(); }), 1);
  const auto steps = launcher.until([&] { return board.complete_step() == size.steps; });
  print("a step, from written to complete everywhere", steps, static_cast<double>(size.steps));
  for (const int64_t lost : {int64_t{3}, size.nodes / 2}) {
    launcher.agents().send(name_of(lost), End{});
    nodes[static_cast<size_t>(lost)] = name_of(size.nodes + (lost == 3 ? 0 : 1));
  }
  launcher.until([&] {
    return !launcher.agents().is_here(name_of(3)) &&
           !launcher.agents().is_here(name_of(size.nodes / 2));
  });
  board.begin(2, {nodes, size.ranks});
  print("two nodes are lost: all ranks have the step",
        launcher.until([&] { return board.is_ready(); }), 1);
  if (board.restored_step() != size.steps)
    throw Error("the step was not restored: " + board.restored_text());
  print("and all copies are there again",
        launcher.until([&] { return board.complete_count() > size.steps; }), 1);
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("memory of the launcher: {} MiB\n", usage.ru_maxrss / 1024);
  ::kill(others, SIGKILL);
  ::waitpid(others, nullptr, 0);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Size size;
  if (count > 1) size.nodes = std::atoll(arguments[1]);
  if (count > 2) size.ranks = std::atoll(arguments[2]);
  if (count > 3) size.steps = std::atoll(arguments[3]);
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  try {
    return launch(size);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
