// Simulates whole jobs to test the blame rules: seeded failures of programs and nodes, with output
// from public logs, run through judge() and next_choice() as in the launcher.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "launcher/job/attempt.h"
#include "launcher/job/blame.h"
#include "launcher/job/choose_nodes.h"
#include "launcher/job/last_output.h"
#include "tests/unit/catch.h"
#include "tests/unit/job/failure_texts.h"
#include "tests/unit/job/shipped_words.h"

using namespace slipway::job;

namespace {

constexpr int64_t seeds = 200;
constexpr int64_t restarts = 3;  // the launcher's default

class Job {
 public:
  explicit Job(uint64_t seed) : random_(seed) {
    constexpr std::array<size_t, 6> sizes = {2, 3, 4, 5, 8, 16};
    constexpr std::array<int64_t, 3> per_node = {1, 2, 8};
    size = sizes[below(sizes.size())];
    torchrun = below(2) == 0;
    tasks_per_node = torchrun ? 1 : per_node[below(per_node.size())];
    spares = below(3);
    for (size_t i = 0; i < size + spares; ++i) all.push_back("node" + std::to_string(i));
    choice = first_choice(all, size);
    least = size > 2 && below(2) == 0 ? size - 1 : size;
    bad_node = choice.nodes[below(size)];
    bad_rank = static_cast<int64_t>(below(size * static_cast<size_t>(tasks_per_node)));
    gpus = torchrun ? 8 : tasks_per_node;
    bad_gpu = static_cast<int64_t>(below(static_cast<size_t>(gpus)));
    nccl = below(2) == 0;
  }

  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }
  double normal(double deviation) { return std::normal_distribution<>(0, deviation)(random_); }
  int64_t ranks() const { return static_cast<int64_t>(choice.nodes.size()) * tasks_per_node; }
  const std::string& node_of(int64_t rank) const {
    return choice.nodes[static_cast<size_t>(rank / tasks_per_node)];
  }
  bool has(const std::string& node) const {
    return std::ranges::find(choice.nodes, node) != choice.nodes.end();
  }
  int64_t rank_on(const std::string& node, int64_t local) const {
    const auto at = std::ranges::find(choice.nodes, node) - choice.nodes.begin();
    return at * tasks_per_node + (torchrun ? 0 : local);
  }

  size_t size = 0, spares = 0, least = 0;
  int64_t tasks_per_node = 1, gpus = 1, bad_gpu = 0, bad_rank = 0;
  bool torchrun = false, nccl = false;
  std::vector<std::string> all, bad;
  std::string bad_node;
  NodeChoice choice;

 private:
  std::mt19937_64 random_;
};

// The ends of one attempt, ordered by time.
class Ends {
 public:
  explicit Ends(Job& job) : job_(job) {
    for (size_t i = 0; i < job.choice.nodes.size(); ++i) skew_.push_back(job.normal(300));
  }

  // `gpu` is the GPU of torchrun's worker; a negative code is a signal.
  void put(int64_t rank, double at_ms, std::string_view text, int64_t code = 1, int64_t gpu = -1) {
    if (gpu < 0) gpu = static_cast<int64_t>(job_.below(8));
    const int64_t local = job_.torchrun ? gpu : rank % job_.tasks_per_node;
    std::string words = texts::filled(text, job_.torchrun ? rank * 8 + gpu : rank, local,
                                      static_cast<int64_t>(1000 + job_.below(8999)));
    if (job_.torchrun) words = texts::under_torchrun(words, rank * 8 + gpu, local, code);
    const bool signal = code < 0 && !job_.torchrun;
    all_.push_back({rank, job_.node_of(rank),
                    job_.torchrun ? 1
                    : signal      ? 0
                                  : static_cast<int>(code),
                    signal ? static_cast<int>(-code) : 0,
                    static_cast<int64_t>(at_ms + static_cast<double>(job_.below(60))),
                    condense("", words, "")});
  }

  // Nodes do not start at the same time.
  void put_all(std::string_view text, int64_t code = 1) {
    for (int64_t rank = 0; rank < job_.ranks(); ++rank) {
      const auto node = static_cast<size_t>(rank / job_.tasks_per_node);
      put(rank, 20000 + skew_[node], text, code);
    }
  }

  // The others' ends are consequences: often at once with gloo; with NCCL, later than anyone waits.
  void put_peers(double at_ms) {
    for (int64_t rank = 0; rank < job_.ranks(); ++rank) {
      if (std::ranges::find(all_, rank, &RankEnd::rank) != all_.end()) continue;
      if (job_.nccl && job_.below(4) != 0) continue;  // hangs
      put(rank, at_ms + static_cast<double>(job_.below(150)),
          job_.nccl ? texts::peer_gone_nccl : texts::peer_gone, job_.nccl ? -6 : 1);
    }
  }

  // What the launcher knows when it stops the attempt.
  std::vector<RankEnd> heard() {
    std::ranges::sort(all_, {}, &RankEnd::after_ms);
    std::vector<RankEnd> ends;
    for (const RankEnd& end : all_) {
      const bool killed = !ends.empty() && ends.back().signal == SIGKILL;
      const auto quiet = killed ? Attempt::quiet_after_kill : Attempt::quiet;
      if (!ends.empty() && (end.after_ms - ends.back().after_ms >= quiet.count() ||
                            end.after_ms - ends.front().after_ms >= Attempt::longest_wait.count()))
        break;
      ends.push_back(end);
    }
    return ends;
  }

 private:
  Job& job_;
  std::vector<double> skew_;
  std::vector<RankEnd> all_;
};

using Attempts = std::function<bool(Job&, Evidence&)>;  // false: it ends well

struct Played {
  bool done = false, wrong = false, right = false;  // wrong: a healthy node is blamed
  int64_t attempts = 0;
};

// Follows Launcher::may_restart and too_few, for a job without progress.
Played play(Job& job, const Attempts& attempt) {
  Played outcome;
  std::vector<Verdict> history;
  int64_t failures = 0;
  for (;;) {
    ++outcome.attempts;
    Evidence evidence;
    evidence.nodes = job.choice.nodes;
    evidence.launcher_node = job.all.front();
    evidence.tasks_per_node = job.tasks_per_node;
    outcome.done = !attempt(job, evidence);
    if (outcome.done) break;
    const Verdict verdict = judge(evidence, history, shipped_words());
    history.push_back(verdict);
    for (const std::string& node : verdict.nodes) {
      if (std::ranges::find(job.bad, node) == job.bad.end()) job.bad.push_back(node);
    }
    if (verdict.blame != Blame::node && !verdict.undecided) ++failures;
    if (verdict.permanent || failures > restarts) break;
    job.choice = next_choice(std::move(job.choice), job.bad, verdict, job.least);
    // The job is requeued without the bad nodes.
    if (job.choice.nodes.size() < job.least) break;
  }
  outcome.wrong =
      std::ranges::any_of(job.bad, [&](const std::string& node) { return node != job.bad_node; });
  outcome.right = !outcome.wrong && (!job.bad.empty() || outcome.done);
  return outcome;
}

struct Counts {
  int64_t right = 0, wrong = 0, attempts = 0, most_attempts = 0;
};

Counts count(uint64_t kind, const Attempts& attempt, bool of_node) {
  Counts counts;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Job job(kind * 1000 + seed);
    if (!of_node) job.bad_node.clear();
    const Played outcome = play(job, attempt);
    counts.right += outcome.right ? 1 : 0;
    counts.wrong += outcome.wrong ? 1 : 0;
    counts.attempts += outcome.attempts;
    counts.most_attempts = std::max(counts.most_attempts, outcome.attempts);
  }
  return counts;
}

Attempts on_all(std::string_view text, int64_t code = 1) {
  return [=](Job& job, Evidence& evidence) {
    Ends ends(job);
    ends.put_all(text, code);
    evidence.ends = ends.heard();
    return true;
  };
}

// Depending on the rank's work, or on the data that it reads.
Attempts on_one(std::string_view text, bool always_the_same, int64_t code = 1) {
  return [=](Job& job, Evidence& evidence) {
    Ends ends(job);
    const auto ranks = static_cast<size_t>(job.ranks());
    const int64_t rank = always_the_same ? std::min(job.bad_rank, job.ranks() - 1)
                                         : static_cast<int64_t>(job.below(ranks));
    ends.put(rank, 20000, text, code, always_the_same ? job.bad_gpu : -1);
    ends.put_peers(20000);
    evidence.ends = ends.heard();
    return true;
  };
}

// A program that hangs: everyone waits for a collective that one rank never joins.
bool hang(Job& job, Evidence& evidence) {
  if (job.below(2) == 0) {
    evidence.stalled_seconds = 600;
    for (const std::string& node : job.choice.nodes) evidence.steps[node] = 7;
    evidence.steps[job.choice.nodes[job.below(job.choice.nodes.size())]] = 6;
    return true;
  }
  Ends ends(job);
  for (int64_t rank = 0; rank < job.ranks(); ++rank) ends.put(rank, 20000, texts::watchdog, -6);
  evidence.ends = ends.heard();
  return true;
}

Attempts while_there(const std::function<void(Job&, Evidence&, Ends&)>& fail) {
  return [=](Job& job, Evidence& evidence) {
    if (!job.has(job.bad_node)) return false;
    Ends ends(job);
    fail(job, evidence, ends);
    evidence.ends = ends.heard();
    return true;
  };
}

void go(Job& job, Evidence& evidence, Ends& ends) {
  ends.put_peers(20000);
  evidence.gone = {{job.bad_node, "its agent closed the connection"}};
}

// A GPU that fails in each attempt, with the program's output.
Attempts broken_gpu(std::string_view text, int64_t code = 1) {
  return while_there([=](Job& job, Evidence&, Ends& ends) {
    ends.put(job.rank_on(job.bad_node, job.bad_gpu), 20000, text, code, job.bad_gpu);
    ends.put_peers(20000);
  });
}

// Everything on the node fails.
Attempts broken_node(std::string_view text) {
  return while_there([=](Job& job, Evidence&, Ends& ends) {
    for (int64_t local = 0; local < (job.torchrun ? 1 : job.tasks_per_node); ++local) {
      ends.put(job.rank_on(job.bad_node, local), 20000, text, 1, 0);
    }
    ends.put_peers(20000);
  });
}

}  // namespace

TEST_CASE(
    "blame simulation: no node is blamed for program failures, and most jobs end after two "
    "attempts",
    "[chance]") {
  const std::vector<std::pair<std::string, Attempts>> kinds = {
      {"exception on all ranks", on_all(texts::bad_json)},
      {"exception on one rank, by its data", on_one(texts::key_error, true)},
      {"exception on any rank", on_one(texts::unreadable, false)},
      {"out of GPU memory on all ranks", on_all(texts::out_of_memory)},
      {"out of GPU memory on any rank", on_one(texts::out_of_memory, false)},
      {"assertion on the device", on_one(texts::device_assert, true)},
      {"NaN on one rank, exit", on_one(texts::nan_found, true)},
      {"NaN on any rank, exit", on_one(texts::nan_found, false)},
      {"unreadable file on all ranks", on_all(texts::stale_handle)},
      {"segfault in a data loader", on_one(texts::loader_segfault, false)},
      {"segfault of any rank", on_one("", false, -11)},
      {"killed for its memory, any rank", on_one("", false, -9)},
      {"exit without a word", on_all("", 3)},
      {"hang in a collective", hang},
      {"mismatch of collectives", on_all(texts::mismatch)},
      {"import error", on_all(texts::no_module)},
      {"launch failure on any GPU", on_one(texts::launch_failure, false)},
  };
  int64_t wrong = 0;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    const Counts counts = count(kind, kinds[kind].second, false);
    INFO(kinds[kind].first);
    const double mean = static_cast<double>(counts.attempts) / seeds;
    std::printf("%-36s %3ld wrong blames, %.2f attempts, at most %ld\n", kinds[kind].first.c_str(),
                counts.wrong, mean, counts.most_attempts);
    CHECK(counts.wrong == 0);
    CHECK(counts.most_attempts <= 8);
    CHECK(mean < restarts + 1.5);
    if (kinds[kind].first.ends_with("all ranks")) CHECK(mean < 2.2);
    wrong += counts.wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("blame simulation: failing nodes are left out, and no healthy one", "[chance]") {
  const std::vector<std::pair<std::string, Attempts>> kinds = {
      {"power off", while_there(go)},
      {"frozen", while_there([](Job& job, Evidence& evidence, Ends&) {
         evidence.gone = {{job.bad_node, "no heartbeat for 5 s"}};
       })},
      {"interface down", while_there([](Job& job, Evidence& evidence, Ends& ends) {
         ends.put_peers(20000);
         evidence.gone = {{job.bad_node, "no heartbeat for 5 s"}};
       })},
      {"Xid", while_there([](Job& job, Evidence& evidence, Ends& ends) {
         ends.put(job.rank_on(job.bad_node, job.bad_gpu), 20000, texts::launch_failure, 1,
                  job.bad_gpu);
         ends.put_peers(20000);
         evidence.kernel = evidence.broken = {
             {job.bad_node, "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."}};
       })},
      {"memory error of a GPU, by its words", broken_gpu(texts::ecc)},
      {"the same, told when stopped", while_there([](Job& job, Evidence& evidence, Ends& ends) {
         Ends stopped(job);
         stopped.put(job.rank_on(job.bad_node, job.bad_gpu), 21000, texts::ecc, 1, job.bad_gpu);
         evidence.stopped = stopped.heard();
         for (int64_t rank = 0; rank < job.ranks(); ++rank) {
           if (job.node_of(rank) != job.bad_node) ends.put(rank, 20000, texts::watchdog, -6);
         }
       })},
      {"a GPU that fails again and again", broken_gpu(texts::launch_failure)},
      {"GPUs that are not there", broken_node(texts::busy)},
      {"a local disk that fails", broken_node(texts::unreadable)},
      {"processes that cannot be killed", while_there([](Job& job, Evidence& evidence, Ends& ends) {
         ends.put_peers(20000);
         evidence.held = {{job.bad_node, "python3 (process 7) cannot be killed"}};
       })},
      {"a slow disk", while_there([](Job& job, Evidence& evidence, Ends&) {
         evidence.stalled_seconds = 600;
         for (const std::string& node : job.choice.nodes) evidence.steps[node] = 7;
         evidence.steps[job.bad_node] = 6;
         evidence.odd = {{job.bad_node, "python3 (process 7) waits in the kernel"}};
       })},
  };
  int64_t right = 0, all = 0;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    const Counts counts = count(100 + kind, kinds[kind].second, true);
    std::printf("%-36s %3ld right, %ld wrong blames, %.2f attempts\n", kinds[kind].first.c_str(),
                counts.right, counts.wrong, static_cast<double>(counts.attempts) / seeds);
    INFO(kinds[kind].first);
    CHECK(counts.wrong == 0);
    CHECK(counts.right * 100 >= 85 * seeds);
    right += counts.right;
    all += seeds;
  }
  CHECK(static_cast<double>(right) >= 0.95 * static_cast<double>(all));
}
