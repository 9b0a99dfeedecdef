// A run from options to verdict, on any backend.
#include "nccl-tests/run.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/file.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/measure.h"
#include "nccl-tests/report.h"
#include "nccl-tests/summary.h"
#include "nccl-tests/table.h"
#include "nccl-tests/verdict.h"

namespace slipway::bandwidth {
namespace {

// The buffers that the largest size of the sweep needs on one rank.
struct Need {
  int64_t send_bytes = 0;
  int64_t receive_bytes = 0;
};

Need need(const Collective& collective, const Options& options, int ranks) {
  Need most;
  const int64_t largest = sizes(options.sweep).back();
  for (const Datatype& type : options.datatypes) {
    const Shape shape = collective.shape(largest, type.bytes, ranks);
    most.send_bytes = std::max(most.send_bytes, shape.send_bytes);
    // In place, both lie in it.
    most.receive_bytes = std::max({most.receive_bytes, shape.send_bytes, shape.receive_bytes});
  }
  return most;
}

double gib(int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 30);
}

// The kernel would grant the memory and kill a process later: better to say it first.
void require_memory(const Backend& backend, const Need& each, int64_t available_bytes) {
  const int ranks_here = ranks_on_host_of(backend.rank(), backend.ranks());
  const int64_t all = (each.send_bytes + each.receive_bytes) * ranks_here;
  if (all <= available_bytes) return;
  throw Error(fmt::format(
      "{} rank{} on {} need{} {:.1f} GiB of memory, {:.1f} GiB are available; choose a smaller -e",
      ranks_here, ranks_here == 1 ? "" : "s",
      backend.ranks()[static_cast<size_t>(backend.rank())].host, ranks_here == 1 ? "s" : "",
      gib(all), gib(available_bytes)));
}

std::optional<NodeProfile> profile_at(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return load_node_profile(path);
}

// Every buffer is there when this returns, on every rank.
std::unique_ptr<Buffers> make_buffers(Backend& backend, const Need& each,
                                      int64_t available_memory_bytes) {
  on_all_ranks(backend, [&] { require_memory(backend, each, available_memory_bytes); });
  std::unique_ptr<Buffers> buffers;
  on_all_ranks(backend,
               [&] { buffers = std::make_unique<Buffers>(each.send_bytes, each.receive_bytes); });
  return buffers;
}

std::vector<Row> measure_all(Backend& backend, const Collective& collective, const Setup& setup,
                             const Buffers& buffers, std::ostream* out) {
  const Options& options = setup.options;
  const Repetitions repetitions{options.iterations, options.check_iterations};
  std::vector<Row> rows;
  for (const Datatype& type : options.datatypes) {
    for (const int64_t bytes : warmup_sizes(options.sweep)) {
      warm_up(backend, collective, collective.shape(bytes, type.bytes, backend.size()), buffers,
              options.warmup_iterations);
    }
    for (const int64_t bytes : sizes(options.sweep)) {
      rows.push_back(measure(backend, collective, type, bytes, buffers, repetitions));
      if (out != nullptr) *out << table_row(setup, rows.back()) << std::flush;
    }
  }
  return rows;
}

}  // namespace

void on_all_ranks(Backend& backend, const std::function<void()>& step) {
  std::optional<std::string> failure;
  try {
    step();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const double mine = failure ? backend.rank() : backend.size();
  const int speaker = static_cast<int>(backend.combine(Combine::min, mine));
  if (speaker == backend.size()) return;
  throw AgreedError(failure.value_or(fmt::format("rank {} failed", speaker)),
                    backend.rank() == speaker);
}

int run(Backend& backend, const Collective& collective, const Options& options,
        const Machine& machine, std::ostream& out) {
  const bool first = backend.rank() == 0;
  Setup setup{.program = fmt::format("{}_perf", collective.name()),
              .collective = std::string(collective.name()),
              .reduction = std::string(collective.reduction()),
              .root = collective.root(),
              .options = options,
              .backend = backend.info(),
              .ranks = backend.ranks(),
              .profile = std::nullopt,
              .environment = explaining_environment(),
              .started_utc = utc_now()};
  const bool reports = first && !options.report.empty();
  on_all_ranks(backend, [&] {
    if (reports) require_writable(options.report);
    if (first) setup.profile = profile_at(machine.node_profile);
  });
  const auto buffers = make_buffers(backend, need(collective, options, backend.size()),
                                    machine.available_memory_bytes);

  if (first) out << table_header(setup) << std::flush;
  const std::vector<Row> rows =
      measure_all(backend, collective, setup, *buffers, first ? &out : nullptr);
  if (first) out << table_footer(setup, rows) << std::flush;

  const Verdict verdict = judge(setup, rows);
  on_all_ranks(backend, [&] {
    if (reports) write_file(options.report, to_json(setup, rows, verdict, utc_now()));
  });
  if (first) out << verdict_line(verdict) << std::flush;

  // Only rank 0 has read a profile, so its status is everybody's.
  const int mine = first && verdict.outcome == Outcome::fail ? exit_fail : exit_pass;
  return static_cast<int>(backend.combine(Combine::max, mine));
}

}  // namespace slipway::bandwidth
