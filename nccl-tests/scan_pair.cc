// Measures one pair of nodes in processes of its own, one for each rank.
#include "nccl-tests/scan_pair.h"

#include <chrono>
#include <optional>

#include <fmt/core.h>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "nccl-tests/gpu_burn.h"
#include "nccl-tests/nccl_backend.h"
#include "nccl-tests/run.h"
#include "nccl-tests/scan_burn.h"
#include "nccl-tests/scan_level_tasks.h"
#include "nccl-tests/scan_options.h"
#include "nccl-tests/tcp_backend.h"

namespace slipway::bandwidth {
namespace {

constexpr int killed = 128;  // plus the number of the signal

// The last line that a process wrote to stderr, without the program's name.
std::string last_words(const std::string& errors) {
  std::vector<std::string> lines = split(errors, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) return "it failed without a message";
  const std::string& last = lines.back();
  constexpr std::string_view name = "bandwidth_scan: ";
  return last.starts_with(name) ? last.substr(name.size()) : last;
}

// What a rank measures without others; empty for other tasks.
std::optional<std::string> measure_alone(const std::string& task, const PairTest& test) {
  if (task == task::inside) return to_text(measure_inside(test));
  if (task == task::list) return join(gpus_to_burn(), ",");
  if (const std::optional<BurnTask> burn = parse_burn_task(task))
    return to_text(burn_gpus(burn->buses, burn->seconds));
  return std::nullopt;
}

double measure_task(Backend& pair, const std::string& task, const PairTest& test) {
  if (task == task::pair) return measure_pair(pair, test);
  if (task == task::gpus) return measure_together(pair, test);
  return measure_one_way(pair, test, task == task::out ? 0 : 1);
}

}  // namespace

double limit_of(const std::string& task, double limit_seconds) {
  const std::optional<BurnTask> burn = parse_burn_task(task);
  return limit_seconds + (burn ? burn->seconds : 0);
}

std::string to_text(const PairRank& rank) {
  return fmt::format("{}/{} {} {} {}", rank.rank, rank.size, rank.token, rank.host, rank.task);
}

PairRank parse_pair_rank(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  const std::vector<std::string> numbers = split(words.front(), '/');
  if (words.size() == 4 && numbers.size() == 2) {
    const auto rank = to_number<int>(numbers[0]), size = to_number<int>(numbers[1]);
    const auto token = to_number<uint64_t>(words[1]);
    if (rank && size && token && *rank >= 0 && *rank < *size)
      return {*rank, *size, *token, words[2], words[3]};
  }
  throw Error(fmt::format("`{}` is not a rank of a pair", text));
}

std::string to_text(const PairOutcome& outcome) {
  return fmt::format("{:.17g}\t{}\t{}\t{}", outcome.busbw_gb_per_s, outcome.transport,
                     outcome.failure, outcome.levels);
}

PairOutcome parse_pair_outcome(const std::string& text) {
  const std::vector<std::string> words = split(text, '\t');
  const auto busbw = to_number<double>(words.front());
  if (words.size() != 4 || !busbw) throw Error("a rank of a pair sent an invalid result");
  return {*busbw, words[1], words[2], words[3]};
}

int run_pair_rank(const PairRank& rank, BackendChoice backend, const PairTest& test,
                  double limit_seconds) {
  if (const auto alone = measure_alone(rank.task, test)) {
    fmt::print("{}", to_text(PairOutcome{0, "", "", *alone}));
    return exit_pass;
  }
  Launch launch{.rank = rank.rank,
                .size = rank.size,
                .host = rank.host,
                .ports = ports_from(rank.token),
                .token = rank.token};
  launch.start_seconds = limit_seconds;
  // Single interfaces are measured over TCP, whatever the pairs use.
  const bool on_gpus =
      backend == BackendChoice::nccl && (rank.task == task::pair || rank.task == task::gpus);
  const std::unique_ptr<Backend> pair =
      on_gpus ? make_nccl_backend(launch, {}) : make_tcp_backend(launch);
  pair->connect();
  const double busbw = measure_task(*pair, rank.task, test);
  const std::string transport = join(pair->share(pair->transport()), ", ");
  if (rank.rank == 0) fmt::print("{}", to_text(PairOutcome{busbw, transport, "", ""}));
  return exit_pass;
}

PairOutcome start_pair_rank(const PairRank& rank, const std::vector<std::string>& arguments,
                            double limit_seconds) {
  std::vector<std::string> command = {scan_program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {fmt::format("--{}", pair_option), to_text(rank)});
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(limit_seconds * 1e3));
  const ProcessResult done =
      run_process(command, {.input = "", .deadline = limit, .program = "/proc/self/exe"});
  PairOutcome outcome;
  if (done.timed_out) {
    outcome.failure = fmt::format("no result within {:.0f} s", limit_seconds);
  } else if (done.exit_code > killed) {
    outcome.failure = fmt::format("was killed by signal {}", done.exit_code - killed);
  } else if (done.exit_code != 0) {
    outcome.failure = last_words(done.errors);
  } else if (rank.rank == 0) {
    outcome = parse_pair_outcome(done.output);
  }
  return outcome;
}

}  // namespace slipway::bandwidth
