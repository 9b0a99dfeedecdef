// Plays srun and all agents of a large job, for launch_scale.py: the launcher is the real program,
// and so are the connections and the protocol; nodes, tasks and Slurm are not.
//
// Environment: PLAYED_NODES, cluster-nodeset-0 and so on, and PLAYED_REPORT, the file for figures
// of the launcher, which is this process's parent. All agents connect and start their tasks; each
// takes a step a second. Then nodes are lost: one, ten at once, and a hundred, as by a switch; each
// time the next attempt follows. In the end all ranks write, and end.
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/count.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "common/wire.h"
#include "launcher/job/agent_connection.h"
#include "launcher/job/agent_settings.h"
#include "launcher/job/protocol.h"

namespace {

using namespace slipway;
using namespace slipway::job;
using Clock = std::chrono::steady_clock;

constexpr auto step_every = std::chrono::seconds(1);
constexpr auto watched_for = std::chrono::seconds(10);  // while tasks run
constexpr auto writing = std::chrono::seconds(10);      // at the end
constexpr int64_t written_in_a_second = 10'000'000;     // bytes, by all ranks
constexpr int64_t line_bytes = 100;
constexpr std::array<int64_t, 3> lost_at_once = {1, 10, 100};
constexpr auto connect_limit = std::chrono::minutes(5);

// What the launcher has used: its processor time and its messages.
struct Used {
  Clock::time_point at;
  double processor = 0;
  int64_t in = 0, in_bytes = 0, out = 0, out_bytes = 0;
};

struct PlayedAgent {
  std::string name;
  std::unique_ptr<Wire> wire;  // null: the node is lost
  int64_t attempt = 0, step = 0;
  std::vector<int64_t> ranks;  // that run
  std::chrono::milliseconds watch_every{};
  Clock::time_point last_watched = {};
};

class PlayedJob {
 public:
  PlayedJob(AgentSettings settings, int64_t nodes, const std::string& report)
      : settings_(std::move(settings)),
        launcher_(std::to_string(::getppid())),
        report_(std::fopen(report.c_str(), "w")) {
    if (report_ == nullptr) throw_errno("cannot write " + report);
    for (int64_t i = 0; i < nodes; ++i) {
      agents_.push_back({fmt::format("cluster-nodeset-{}", i), nullptr, 0, 0, {}, {}, {}});
    }
  }

  void run() {
    Used begin = used();
    connect();
    until([this] { return starts_ > 0; });
    tell("all agents are connected and proved", begin);
    begin = used();
    until([this] { return all_started(); });
    tell("tasks of the first attempt start", begin);
    watch("tasks run, in a second");
    for (const int64_t count : lost_at_once) {
      if (count > attempt_starts_ / 4) continue;  // the launcher would blame its own node
      begin = used();
      lose(count);
      until([this] { return starts_ == attempt_starts_; });
      tell(fmt::format("{} lost: agents start the next attempt", counted(count, "node")), begin);
      watch("tasks run, in a second");
    }
    write();
    begin = used();
    for (PlayedAgent& agent : agents_) end_tasks(agent, 0, /*by_agent=*/false);
    until([this] { return over_; });
    tell("tasks end well", begin);
    const std::string status = read_file("/proc/" + launcher_ + "/status");
    const size_t peak = status.find("VmHWM:");
    fmt::print(report_, "memory of the launcher: {} MiB\n",
               std::atoll(status.c_str() + peak + 6) / 1024);
    std::fclose(report_);
  }

 private:
  // --- the launcher's figures

  Used used() const {
    Used now = total_;
    now.at = Clock::now();
    const std::string stat = read_file("/proc/" + launcher_ + "/stat");
    const auto fields = split(stat.substr(stat.rfind(')') + 2), ' ');
    now.processor =
        static_cast<double>(std::atoll(fields[11].c_str()) + std::atoll(fields[12].c_str())) /
        static_cast<double>(::sysconf(_SC_CLK_TCK));
    return now;
  }

  void tell(const std::string& what, const Used& begin, double times = 1) {
    const Used now = used();
    fmt::print(
        report_, "{:<48} {:7.2f} s {:6.2f} CPU s {:8.0f} in {:7.2f} MB {:8.0f} out {:7.2f} MB\n",
        what, std::chrono::duration<double>(now.at - begin.at).count() / times,
        (now.processor - begin.processor) / times, static_cast<double>(now.in - begin.in) / times,
        static_cast<double>(now.in_bytes - begin.in_bytes) / 1e6 / times,
        static_cast<double>(now.out - begin.out) / times,
        static_cast<double>(now.out_bytes - begin.out_bytes) / 1e6 / times);
    std::fflush(report_);
  }

  void watch(const char* what) {
    const Used begin = used();
    const auto end = Clock::now() + watched_for;
    until([&] { return Clock::now() > end; });
    tell(what, begin, std::chrono::duration<double>(watched_for).count());
  }

  // --- all agents

  void connect() {
    for (PlayedAgent& agent : agents_) {
      agent.wire = std::make_unique<Wire>(
          connect_to_launcher("127.0.0.1", settings_.orphan.port, settings_.key, agent.name,
                              connect_limit, this_program()),
          longest_message);
      send(agent, Ports{40000, 40001});
    }
  }

  void send(PlayedAgent& agent, const ToLauncher& message) {
    const std::string bytes = encode(message);
    ++total_.in;
    total_.in_bytes += static_cast<int64_t>(bytes.size());
    agent.wire->queue(bytes);
  }

  void until(const std::function<bool()>& condition) {
    while (!condition() && !over_) {
      std::vector<pollfd> fds;
      for (const PlayedAgent& agent : agents_) {
        const bool full = agent.wire && agent.wire->unsent() > 0;
        fds.push_back({agent.wire ? agent.wire->fd() : -1,
                       static_cast<short>(full ? POLLIN | POLLOUT : POLLIN), 0});
      }
      ::poll(fds.data(), fds.size(), 20);
      const auto now = Clock::now();
      const bool steps = now - last_step_ > step_every;
      if (steps) last_step_ = now;
      for (size_t i = 0; i < agents_.size() && !over_; ++i) {
        PlayedAgent& agent = agents_[i];
        if (!agent.wire) continue;
        if (steps) beat(agent);
        look(agent, now);
        agent.wire->flush();
        if (fds[i].revents != 0) serve(agent);
      }
    }
  }

  void beat(PlayedAgent& agent) {
    Beat message{agent.attempt, {}};
    ++agent.step;
    for (const int64_t rank : agent.ranks) message.steps.push_back({rank, agent.step, 0});
    send(agent, message);
  }

  // What `slipway launch --hang` wants to know.
  void look(PlayedAgent& agent, Clock::time_point now) {
    if (agent.watch_every.count() == 0 || agent.ranks.empty() ||
        now - agent.last_watched < agent.watch_every) {
      return;
    }
    agent.last_watched = now;
    Watched watched;
    watched.attempt = agent.attempt;
    watched.sent_microseconds = std::chrono::duration<double, std::micro>(
                                    std::chrono::system_clock::now().time_since_epoch())
                                    .count();
    for (const int64_t rank : agent.ranks) {
      RankSample sample;
      sample.rank = rank;
      sample.cpu_seconds = static_cast<double>(agent.step);
      sample.state = 'R';
      sample.gpu_percent = 99;
      watched.samples.push_back(sample);
    }
    send(agent, watched);
  }

  void serve(PlayedAgent& agent) {
    const bool there = agent.wire->receive();
    while (const auto message = agent.wire->next()) {
      ++total_.out;
      total_.out_bytes += static_cast<int64_t>(message->size());
      const ToAgent order = decode<ToAgent>(*message);
      if (const auto* start = std::get_if<Start>(&order)) begin_tasks(agent, *start);
      if (std::holds_alternative<Stop>(order)) stop(agent);
      if (std::holds_alternative<End>(order)) over_ = true;
    }
    if (!there) over_ = true;
  }

  void begin_tasks(PlayedAgent& agent, const Start& start) {
    if (start.attempt != attempt_) {
      attempt_ = start.attempt;
      starts_ = 0;
      attempt_starts_ = static_cast<int64_t>(start.pmix.nodes.size());
    }
    ++starts_;
    agent.attempt = start.attempt;
    agent.step = 0;
    agent.watch_every = std::chrono::milliseconds(start.watch_ms);
    agent.ranks.clear();
    for (const StartedTask& task : start.tasks) agent.ranks.push_back(task.rank);
    if (start.pmix.node == 0) send(agent, Ports{40000 + 2 * attempt_, 40001 + 2 * attempt_});
  }

  bool all_started() const { return attempt_starts_ > 0 && starts_ == attempt_starts_; }

  void end_tasks(PlayedAgent& agent, int64_t signal, bool by_agent) {
    if (!agent.wire) return;
    for (const int64_t rank : agent.ranks)
      send(agent, Ended{agent.attempt, rank, 0, signal, by_agent, ""});
    agent.ranks.clear();
  }

  void stop(PlayedAgent& agent) {
    end_tasks(agent, SIGTERM, /*by_agent=*/true);
    Stopped stopped;
    stopped.attempt = agent.attempt;
    send(agent, stopped);
    send(agent, Energy{agent.attempt, 1000.0});
  }

  // Not the first node, which has the launcher.
  void lose(int64_t count) {
    starts_ = 0;
    attempt_starts_ = -1;
    for (size_t i = 1; i < agents_.size() && count > 0; ++i) {
      if (!agents_[i].wire || agents_[i].ranks.empty()) continue;
      agents_[i].wire.reset();
      agents_[i].ranks.clear();
      --count;
    }
  }

  // All ranks write lines, as evenly as they can.
  void write() {
    const Used begin = used();
    int64_t sent = 0;
    while (Clock::now() - begin.at < writing && !over_) {
      const double passed = std::chrono::duration<double>(Clock::now() - begin.at).count();
      const auto due = static_cast<int64_t>(passed * written_in_a_second);
      for (PlayedAgent& agent : agents_) {
        if (!agent.wire) continue;
        for (const int64_t rank : agent.ranks) {
          if (sent >= due) break;
          std::string line = fmt::format("rank {} ", rank);
          line.resize(line_bytes - 1, '.');
          send(agent, TaskText{rank, 1, line + "\n"});
          sent += line_bytes;
        }
      }
      const auto soon = Clock::now() + std::chrono::milliseconds(20);
      until([&] { return Clock::now() > soon; });
    }
    until([this] {
      for (const PlayedAgent& agent : agents_)
        if (agent.wire && agent.wire->unsent() > 0) return false;
      return true;
    });
    tell("all ranks write 10 MB/s, in a second", begin,
         std::chrono::duration<double>(Clock::now() - begin.at).count());
    fmt::print(report_, "lines written by ranks: {}\n", sent / line_bytes);
  }

  AgentSettings settings_;
  std::string launcher_;
  std::FILE* report_;
  std::vector<PlayedAgent> agents_;
  Used total_;
  Clock::time_point last_step_ = Clock::now();
  int64_t attempt_ = 0, starts_ = 0, attempt_starts_ = 0;
  bool over_ = false;
};

}  // namespace

int main() try {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const auto nodes = to_number<int64_t>(environment_variable("PLAYED_NODES"));
  if (!nodes) throw Error("PLAYED_NODES is not a number");
  PlayedJob(take_agent_settings(), *nodes, environment_variable("PLAYED_REPORT")).run();
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "launch_agents: {}\n", error.what());
  return 1;
}
