// Runs a bandwidth test from its options to its verdict, on any backend.
#include "nccl-tests/run.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/core.h>

#include "common/count.h"
#include "common/file.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/measure.h"
#include "nccl-tests/nccl_tests_json.h"
#include "nccl-tests/report.h"
#include "nccl-tests/software.h"
#include "nccl-tests/summary.h"
#include "nccl-tests/table.h"
#include "nccl-tests/traffic.h"
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

// For --unalign, whose elements have at most 8 bytes.
int64_t spare_bytes(const Options& options) {
  return int64_t{8} * options.unaligned;
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

// As nccl-tests does: a largest size that the GPUs' memory does not hold is reduced to one that it
// holds. Some memory is left to NCCL. Returns whether it was reduced.
bool reduce_to_memory(Backend& backend, const Collective& collective, Options& options,
                      int64_t available_bytes) {
  if (backend.in_host_memory() || !backend.moves_data()) return false;
  constexpr int64_t reserve_bytes = int64_t{1} << 30;
  const auto left = static_cast<int64_t>(backend.combine(
      Combine::min, static_cast<double>(std::max<int64_t>(available_bytes - reserve_bytes, 0))));
  Sweep& sweep = options.sweep;
  bool reduced = false;
  for (Need most = need(collective, options, backend.size());
       most.send_bytes + most.receive_bytes > left && sweep.max_bytes > 1;
       most = need(collective, options, backend.size())) {
    const double share =
        static_cast<double>(left) / static_cast<double>(most.send_bytes + most.receive_bytes);
    sweep.max_bytes =
        static_cast<int64_t>(static_cast<double>(sweep.max_bytes) * std::min(share, 0.999));
    sweep.min_bytes = std::min(sweep.min_bytes, sweep.max_bytes);
    reduced = true;
  }
  return reduced;
}

std::optional<NodeProfile> profile_at(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return load_node_profile(path);
}

// Allocates the buffers on every rank. A backend that moves no data needs no memory for them.
std::unique_ptr<Buffers> make_buffers(Backend& backend, const Need& each,
                                      int64_t available_memory_bytes, int64_t spare_bytes) {
  on_all_ranks(backend, [&] {
    if (backend.moves_data()) require_memory(backend, each, available_memory_bytes);
  });
  std::unique_ptr<Buffers> buffers;
  on_all_ranks(backend, [&] {
    buffers = std::make_unique<Buffers>(backend, each.send_bytes, each.receive_bytes, spare_bytes);
  });
  return buffers;
}

// Those of `wanted` that the backend has. As in nccl-tests, what it lacks is left out of `all`; a
// single one is refused.
template <class One, class Name>
std::vector<One> available(const Backend& backend, const std::vector<One>& wanted, Name name) {
  std::vector<One> found;
  for (const One& one : wanted) {
    if (backend.has(one)) found.push_back(one);
  }
  if (found.empty()) {
    const BackendInfo info = backend.info();
    throw Error(fmt::format("{} with --backend {} on these nodes cannot do `{}`", info.library,
                            info.name, name(wanted.front())));
  }
  return found;
}

// Every combination of type, reduction and root that the options ask for.
std::vector<Case> cases(const Collective& collective, const Options& options,
                        const Backend& backend) {
  std::vector<std::optional<Reduction>> reductions = {std::nullopt};
  if (collective.reduces) {
    const auto has = available(backend, options.reductions,
                               [](Reduction one) { return std::string(to_string(one)); });
    reductions.assign(has.begin(), has.end());
  }
  std::vector<std::optional<int>> roots = {std::nullopt};
  if (collective.has_root) roots = {options.root};
  if (collective.has_root && !options.root) {
    roots.resize(static_cast<size_t>(backend.size()));
    for (int root = 0; root < backend.size(); ++root) roots[static_cast<size_t>(root)] = root;
  }
  std::vector<Case> all;
  for (const Datatype& type : available(
           backend, options.datatypes, [](const Datatype& one) { return std::string(one.name); })) {
    for (const auto& reduction : reductions) {
      for (const auto& root : roots) {
        if (reduction && !backend.has(type, *reduction)) continue;
        all.push_back({&collective, type, reduction, root, options.unaligned});
      }
    }
  }
  if (all.empty()) {
    throw Error(fmt::format("{} on {} cannot do `{}` of `{}`", backend.info().library,
                            counted(backend.size(), "rank"), to_string(*reductions.front()),
                            options.datatypes.front().name));
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
      for (const Case& which : cases(*setup_.collective, options, backend_)) sweep(which);
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
      if (out_ != nullptr)
        *out_ << table_row(setup_, rows_.back(), utc_time()) << summary(which) << std::flush;
    }
  }

  std::string summary(const Case& which) const {
    if (which.collective->kind != Kind::alltoallv || !traffic().prints_summary) return "";
    const Row& row = rows_.back();
    return traffic_summary(traffic(), backend_.size(),
                           row.shape.count * which.datatype.bytes * backend_.size(),
                           row.out_of_place.time.us);
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

void require_ranks(const Collective& collective, int ranks) {
  if (collective.works_on(ranks)) return;
  throw Error(fmt::format("{} needs 2, 4, 8, … ranks, a power of 2, and there {} {}",
                          collective.name, ranks == 1 ? "is" : "are", counted(ranks, "rank")));
}

// A matrix has the sizes itself, so there is nothing to sweep.
void require_traffic(const Collective& collective, const Options& options, int ranks) {
  if (collective.kind != Kind::alltoallv) return;
  const int rows = traffic().matrix_ranks;
  if (rows == 0) return;
  if (options.sweep.min_bytes != options.sweep.max_bytes)
    throw Error("NCCL_TESTS_ALLTOALLV_MATRIX_FILE has the sizes: give -b and -e the same value");
  if (rows < ranks)
    throw Error(fmt::format("NCCL_TESTS_ALLTOALLV_MATRIX_FILE has {}, and there are {}",
                            counted(rows, "row"), counted(ranks, "rank")));
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
  const int own = backend.rank_of_all(), ranks = static_cast<int>(backend.all_ranks().size());
  const int speaker = static_cast<int>(backend.combine(Combine::min, failure ? own : ranks));
  if (speaker == ranks) return;
  throw AgreedError(failure.value_or(fmt::format("rank {} failed", speaker)), own == speaker,
                    [&backend] { backend.barrier(); });
}

namespace {

std::optional<double> least_average() {
  const char* const text = std::getenv("NCCL_TESTS_MIN_BW");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const double least = std::strtod(text, &end);
  if (*text == '\0' || *end != '\0' || !(least >= 0))
    throw Error(fmt::format("NCCL_TESTS_MIN_BW is `{}`, expected GB/s", text));
  return least;
}

Setup setup_of(Backend& backend, const Collective& collective, const Options& options) {
  return {.collective = &collective,
          .options = options,
          .backend = backend.info(),
          .ranks = backend.ranks(),
          .all_ranks = backend.all_ranks(),
          .profile = std::nullopt,
          .environment = explaining_environment(),
          .started_utc = utc_now()};
}

// What can be known before anything is measured; on all ranks.
void check_before(Backend& backend, Setup& setup) {
  const Options& options = setup.options;
  const bool first = backend.rank_of_all() == 0;
  on_all_ranks(backend, [&] {
    require_root(*setup.collective, options, backend.size());
    require_ranks(*setup.collective, backend.size());
    require_traffic(*setup.collective, options, backend.size());
    (void)cases(*setup.collective, options, backend);
    if (!first) return;
    if (!options.report.empty()) require_writable(options.report);
    if (!options.nccl_tests_file.empty()) require_writable(options.nccl_tests_file);
    setup.profile = profile_at(options.node_profile);
    setup.least_average_gb_per_s = least_average();
  });
}

// Of the rank that used most; all ranks.
MemoryUse most_memory(Backend& backend, const int64_t (&left)[3]) {
  double used[] = {static_cast<double>(backend.library_memory_bytes()),
                   static_cast<double>(left[0] - left[1]), static_cast<double>(left[1] - left[2])};
  backend.combine(Combine::max, used);
  return {static_cast<int64_t>(used[0]), static_cast<int64_t>(used[1]),
          static_cast<int64_t>(used[2])};
}

void write_results(const Setup& setup, const std::vector<Row>& rows, const Verdict& verdict) {
  const Options& options = setup.options;
  if (!options.report.empty()) write_file(options.report, to_json(setup, rows, verdict, utc_now()));
  if (!options.nccl_tests_file.empty())
    write_file(options.nccl_tests_file, to_nccl_tests_json(setup, rows, utc_now()));
}

}  // namespace

int run(Backend& backend, const Collective& collective, const Options& options,
        const Machine& machine, std::ostream& out) {
  const bool first = backend.rank_of_all() == 0;
  Setup setup = setup_of(backend, collective, options);
  check_before(backend, setup);
  std::filesystem::path& json = setup.options.nccl_tests_file;
  if (first && !json.empty()) {
    json = free_name(json);
    out << "# Writing JSON output to " << json.string() << "\n";
  }
  machine.on_phase("allocating memory");
  const bool reduced =
      reduce_to_memory(backend, collective, setup.options, machine.available_memory_bytes);
  const auto left = [&] { return options.report_memory ? backend.available_memory_bytes() : 0; };
  int64_t memory_left[3] = {left(), 0, 0};
  const auto buffers = make_buffers(backend, need(collective, setup.options, backend.size()),
                                    machine.available_memory_bytes, spare_bytes(options));
  memory_left[1] = left();

  if (first) out << table_header(setup, reduced) << std::flush;
  const std::vector<Row> rows =
      Sweeper(backend, setup, machine, *buffers, first ? &out : nullptr).run();
  memory_left[2] = left();
  if (options.report_memory) setup.memory = most_memory(backend, memory_left);
  if (first) out << table_footer(setup, rows) << std::flush;

  if (wants_control(backend, setup.profile, rows.back().requested_bytes)) {
    machine.on_phase("the control");
    setup.control = run_with_control(backend, rows.back().of, rows.back().requested_bytes, *buffers,
                                     options.timing);
  }
  machine.on_phase("verdict and report");
  setup.transport = joined_transport(backend.share(backend.transport()));
  setup.software = joined_software(backend.share(software_text(software_of_this_node())));
  const Verdict verdict = judge(setup, rows);
  on_all_ranks(backend, [&] {
    if (first) write_results(setup, rows, verdict);
  });
  if (first) out << verdict_line(verdict) << std::flush;

  // Only rank 0 has read a profile, so its status applies to all ranks.
  const int mine = first && verdict.outcome == Outcome::fail ? exit_fail : exit_pass;
  return static_cast<int>(backend.combine(Combine::max, mine));
}

}  // namespace slipway::bandwidth
