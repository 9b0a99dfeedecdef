// Runs a bandwidth test from its options to its verdict, on any backend.
#include "nccl-tests/run.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "common/count.h"
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
    // In place, it holds both.
    most.receive_bytes = std::max({most.receive_bytes, shape.send_bytes, shape.receive_bytes});
  }
  return most;
}

double gib(int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 30);
}

// The kernel would grant the memory and kill a process later, so this checks first.
void require_memory(const Backend& backend, const Need& each, int64_t available_bytes) {
  const int ranks_here =
      backend.in_host_memory() ? ranks_on_host_of(backend.rank(), backend.ranks()) : 1;
  const int64_t all = (each.send_bytes + each.receive_bytes) * ranks_here;
  if (all <= available_bytes) return;
  throw Error(fmt::format(
      "{} on {} need{} {:.1f} GiB of memory, {:.1f} GiB are available; choose a smaller -e",
      counted(ranks_here, "rank"), backend.ranks()[static_cast<size_t>(backend.rank())].host,
      ranks_here == 1 ? "s" : "", gib(all), gib(available_bytes)));
}

std::optional<NodeProfile> profile_at(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return load_node_profile(path);
}

// Allocates the buffers on every rank. A backend that moves no data needs no memory for them.
std::unique_ptr<Buffers> make_buffers(Backend& backend, const Need& each,
                                      int64_t available_memory_bytes) {
  on_all_ranks(backend, [&] {
    if (backend.moves_data()) require_memory(backend, each, available_memory_bytes);
  });
  std::unique_ptr<Buffers> buffers;
  on_all_ranks(backend, [&] {
    buffers = std::make_unique<Buffers>(backend, each.send_bytes, each.receive_bytes);
  });
  return buffers;
}

// Every combination of type, reduction and root that the options ask for.
std::vector<Case> cases(const Collective& collective, const Options& options, int ranks) {
  std::vector<std::optional<Reduction>> reductions = {std::nullopt};
  if (collective.reduces) reductions.assign(options.reductions.begin(), options.reductions.end());
  std::vector<std::optional<int>> roots = {std::nullopt};
  if (collective.has_root) roots = {options.root};
  if (collective.has_root && !options.root) {
    roots.resize(static_cast<size_t>(ranks));
    for (int root = 0; root < ranks; ++root) roots[static_cast<size_t>(root)] = root;
  }
  std::vector<Case> all;
  for (const Datatype& type : options.datatypes) {
    for (const auto& reduction : reductions) {
      for (const auto& root : roots) all.push_back({&collective, type, reduction, root});
    }
  }
  return all;
}

class Sweeper {
 public:
  Sweeper(Backend& backend, const Setup& setup, const Machine& machine, const Buffers& buffers,
          std::ostream* out)
      : backend_(backend), setup_(setup), machine_(machine), buffers_(buffers), out_(out) {}

  std::vector<Row> run() {
    const Options& options = setup_.options;
    for (int cycle = 0; options.cycles == 0 || cycle < options.cycles; ++cycle) {
      rows_.clear();  // the report and the verdict describe the last cycle
      for (const Case& which : cases(*setup_.collective, options, backend_.size())) sweep(which);
    }
    return std::move(rows_);
  }

 private:
  void sweep(const Case& which) {
    const Options& options = setup_.options;
    const std::string name(which.collective->name);
    for (const int64_t bytes : warmup_sizes(options.sweep)) {
      machine_.on_phase(fmt::format("{} of {} bytes, warming up", name, bytes));
      warm_up(backend_, which,
              which.collective->shape(bytes, which.datatype.bytes, backend_.size()), buffers_,
              options.warmup_iterations);
    }
    for (const int64_t bytes : sizes(options.sweep)) {
      machine_.on_phase(fmt::format("{} of {} bytes", name, bytes));
      rows_.push_back(measure(backend_, which, bytes, buffers_, options.timing));
      if (out_ != nullptr) *out_ << table_row(setup_, rows_.back(), utc_time()) << std::flush;
    }
  }

  // In nccl-tests' format, but in UTC.
  static std::string utc_time() {
    std::string now = utc_now();
    now[10] = ' ';
    now.pop_back();
    return now;
  }

  Backend& backend_;
  const Setup& setup_;
  const Machine& machine_;
  const Buffers& buffers_;
  std::ostream* out_;
  std::vector<Row> rows_;
};

// Whether the largest size is measured in turn with a control: rank 0 has read the node profile.
bool wants_control(Backend& backend, const std::optional<NodeProfile>& profile,
                   int64_t largest_bytes) {
  const bool asked = profile && profile->bandwidth_control &&
                     largest_bytes >= profile->bandwidth_control->least_size_bytes;
  const bool everywhere = backend.combine(Combine::max, asked ? 1 : 0) > 0;
  return everywhere && backend.in_host_memory() && backend.moves_data() &&
         host_count(backend.ranks()) > 1;
}

void require_root(const Collective& collective, const Options& options, int ranks) {
  if (!collective.has_root || !options.root || *options.root < ranks) return;
  throw Error(fmt::format("--root is {}, and there {} {}", *options.root, ranks == 1 ? "is" : "are",
                          counted(ranks, "rank")));
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
                    backend.rank() == speaker, [&backend] { backend.barrier(); });
}

int run(Backend& backend, const Collective& collective, const Options& options,
        const Machine& machine, std::ostream& out) {
  const bool first = backend.rank() == 0;
  Setup setup{.collective = &collective,
              .options = options,
              .backend = backend.info(),
              .ranks = backend.ranks(),
              .profile = std::nullopt,
              .environment = explaining_environment(),
              .started_utc = utc_now()};
  const bool reports = first && !options.report.empty();
  on_all_ranks(backend, [&] {
    require_root(collective, options, backend.size());
    if (reports) require_writable(options.report);
    if (first) setup.profile = profile_at(options.node_profile);
  });
  machine.on_phase("allocating memory");
  const auto buffers = make_buffers(backend, need(collective, options, backend.size()),
                                    machine.available_memory_bytes);

  if (first) out << table_header(setup) << std::flush;
  const std::vector<Row> rows =
      Sweeper(backend, setup, machine, *buffers, first ? &out : nullptr).run();
  if (first) out << table_footer(setup, rows) << std::flush;

  if (wants_control(backend, setup.profile, rows.back().requested_bytes)) {
    machine.on_phase("the control");
    setup.control = run_with_control(backend, rows.back().of, rows.back().requested_bytes, *buffers,
                                     options.timing);
  }
  machine.on_phase("verdict and report");
  setup.transport = joined_transport(backend.share(backend.transport()));
  const Verdict verdict = judge(setup, rows);
  on_all_ranks(backend, [&] {
    if (reports) write_file(options.report, to_json(setup, rows, verdict, utc_now()));
  });
  if (first) out << verdict_line(verdict) << std::flush;

  // Only rank 0 has read a profile, so its status applies to all ranks.
  const int mine = first && verdict.outcome == Outcome::fail ? exit_fail : exit_pass;
  return static_cast<int>(backend.combine(Combine::max, mine));
}

}  // namespace slipway::bandwidth
