// The command line of the *_perf programs: nccl-tests' options, and some of our own.
#include "nccl-tests/options.h"

#include <array>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/device_implementation.h"
#include "nccl-tests/foreign_options.h"

namespace slipway::bandwidth {
namespace {

constexpr std::array<std::string_view, 5> backend_names = {"auto", "mpi", "tcp", "nccl", "sim"};

// The command line before its values are checked.
struct RawOptions {
  std::string min_bytes = "32M", max_bytes = "32M", step_bytes = "1M";
  std::string type = "float", reduction = "sum", root = "0";
  std::string timing = "pipelined", backend = "auto";
  std::string world, report, node_profile, output_file;
  int average = 1, blocking = 0, each_iteration = 0, timestamps = 0;
  int samples = 0;
  double precision_percent = 0;
  int parallel_init = 0, cpu_time = 0, null_stream = 0, local_register = 0, memory = 0;
  int device_implementation = 0, device_ctas = 16;
  std::string cta_policy;
  ForeignOptions foreign;
};

void require_between(std::string_view option, int value, int least, int most = 1 << 30) {
  if (value >= least && value <= most) return;
  throw UsageError(
      most == 1 << 30
          ? fmt::format("{} is {}, it must be at least {}", option, value, least)
          : fmt::format("{} is {}, it must be from {} to {}", option, value, least, most));
}

// Parses a size; an error names the option.
int64_t size_of(std::string_view option, const std::string& text) try {
  return parse_size(text);
} catch (const UsageError& error) {
  throw UsageError(fmt::format("{}: {}", option, error.what()));
}

std::optional<int> root_of(const std::string& text) {
  if (text == "all" || text == "-1") return std::nullopt;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos ||
      text.size() > 6) {
    throw UsageError(fmt::format("--root is `{}`; it is a rank, or `all`", text));
  }
  return std::stoi(text);
}

void add_options_of_nccl_tests(CommandLine& line, Options& options, RawOptions& raw) {
  Timing& timing = options.timing;
  line.section("Options of nccl-tests");
  line.option("minbytes,b", "SIZE", "smallest size; K, M and G are powers of 1024", &raw.min_bytes);
  line.option("maxbytes,e", "SIZE", "largest size", &raw.max_bytes);
  line.option("stepbytes,i", "SIZE", "add this from size to size", &raw.step_bytes);
  line.option("stepfactor,f", "N", "multiply by this from size to size; 1 adds --stepbytes",
              &options.sweep.step_factor);
  line.option("iters,n", "N", "timed iterations of each size", &timing.iterations);
  line.option("warmup_iters,w", "N", "untimed iterations before them", &options.warmup_iterations);
  line.option("agg_iters,m", "N", "operations in an iteration", &timing.aggregated);
  line.option("run_cycles,N", "N", "runs of the whole sweep, 0 without end", &options.cycles);
  line.option("average,a", "0|1|2|3", "which time: rank 0 (0), mean (1), minimum (2), maximum (3)",
              &raw.average);
  line.option("per_iter_timing,I", "0|1", "print columns with the time of each iteration",
              &raw.each_iteration);
  line.option("per_iter_skip,K", "N", "leave out this many of them", &timing.skipped);
  line.option("check,c", "N", "checked iterations of each size, 0 for none", &timing.checks);
  line.option("op,o", "sum|prod|min|max|avg|mulsum|all", "reduction; mulsum only of GPUs",
              &raw.reduction);
  line.option("datatype,d", "TYPE", "int8 to double, bfloat16, …, or all", &raw.type);
  line.option("root,r", "RANK", "root of collectives that have one; all: each rank in turn",
              &raw.root);
  line.option(
      "blocking,z", "0|1|2|3",
      "wait after each iteration, and in a barrier (1), without it (2), or in an untimed one (3)",
      &raw.blocking);
  line.option("timeout,T", "SECONDS",
              "give up after this long without progress, and name who hangs",
              &options.timeout_seconds, "wait forever");
  line.option("report_timestamps,S", "0|1", "print a column with the time of day", &raw.timestamps);
  line.option("report_cputime,C", "0|1", "print the time until an operation is handed over",
              &raw.cpu_time);
  line.option("ngpus,g", "N", "ranks of this process, one for each GPU", &options.gpus);
  line.option("nthreads,t", "N", "times so many ranks", &options.threads);
  line.option("unalign,u", "N", "elements before the first one of a buffer", &options.unaligned);
  line.option("output_file,J", "FILE",
              "write nccl-tests' JSON; where FILE exists, FILE.0, FILE.1, … is written",
              &raw.output_file);
}

void add_options_of_gpus(CommandLine& line, Options& options, RawOptions& raw) {
  line.section("Options of nccl-tests for GPUs");
  line.option("cudagraph,G", "N", "record the iterations as a CUDA graph and launch it N times",
              &options.timing.graph_launches);
  line.option("local_register,R", "0|1|2", "register buffers (1), as symmetric memory (2)",
              &raw.local_register);
  line.option("cta_policy,x", "0|1|2", "NCCL's use of the GPU: default, efficient, or none",
              &raw.cta_policy, "do not set");
  line.option("stream_null,y", "0|1", "use CUDA's null stream", &raw.null_stream);
  line.option("memory,M", "0|1", "print how much GPU memory was used", &raw.memory);
}

// Options of nccl-tests that scripts pass; here they accept only the value that has no effect.
void add_options_without_effect(CommandLine& line, RawOptions& raw) {
  line.section("Options of nccl-tests without an effect here");
  line.option("parallel_init,p", "0|1", "either value: ranks are processes", &raw.parallel_init);
  line.option("device_implementation,D", "0", "0 only: 1 to 4 are kernels of nccl-tests itself",
              &raw.device_implementation);
  line.option("device_cta_count,V", "N", "blocks of these kernels", &raw.device_ctas);
  raw.foreign.declare(line);
}

void add_options_of_our_own(CommandLine& line, Options& options, RawOptions& raw) {
  line.section("Options");
  line.option("backend", "auto|nccl|mpi|tcp|sim",
              "what to measure with: GPUs (nccl), host memory (mpi, tcp) or a simulation",
              &raw.backend);
  line.option("world", "FILE", "the nodes and links of the simulation, as YAML", &raw.world);
  line.option("timing", "pipelined|isolated",
              "time iterations together, as nccl-tests does, or one at a time", &raw.timing);
  line.option("samples", "N",
              "samples of each size, of --iters iterations each, or of one if isolated",
              &raw.samples, "1, or --iters if isolated");
  line.option("precision", "PERCENT",
              "sample until the median is known this well, with 95 % confidence",
              &raw.precision_percent, "do not");
  line.option("budget", "SECONDS", "limit of --precision, for each size and placement",
              &options.timing.budget_seconds);
  line.option("report", "FILE",
              "write the result as JSON (schema slipway/bandwidth/1); an existing FILE is replaced",
              &raw.report);
  line.option("node-profile", "FILE", "which machine this is", &raw.node_profile,
              std::string(node_profile_path));
}

void check_without_effect(const Collective& collective, const RawOptions& raw) {
  raw.foreign.refuse();
  refuse_device_implementation(collective, raw.device_implementation, raw.device_ctas);
}

void read_gpu_options(const RawOptions& raw, Options& options) {
  require_between("--ngpus", options.gpus, 1, 1024);
  require_between("--nthreads", options.threads, 1, 1024);
  require_between("--unalign", options.unaligned, 0, 4096);
  require_between("--cudagraph", options.timing.graph_launches, 0);
  require_between("--local_register", raw.local_register, 0, 2);
  options.nccl.cta_policy = parse_cta_policy(raw.cta_policy);
  require_between("--stream_null", raw.null_stream, 0, 1);
  require_between("--report_cputime", raw.cpu_time, 0, 1);
  require_between("--memory", raw.memory, 0, 1);
  options.nccl.registration = static_cast<NcclSettings::Registration>(raw.local_register);
  options.nccl.null_stream = raw.null_stream == 1;
  options.report_issue_time = raw.cpu_time == 1;
  options.report_memory = raw.memory == 1;
  options.nccl_tests_file = raw.output_file;
  const Timing& timing = options.timing;
  if (timing.graph_launches > 0 && (timing.each_iteration || timing.blocking != Blocking::none))
    throw UsageError("--cudagraph launches all iterations at once: leave out -I and -z");
  if (timing.graph_launches > 0 && options.nccl.null_stream)
    throw UsageError("--cudagraph cannot record the null stream: leave out --stream_null");
}

void read_timing(const RawOptions& raw, Timing& timing) {
  if (raw.timing != "pipelined" && raw.timing != "isolated") {
    throw UsageError(fmt::format("--timing is `{}`; known are pipelined and isolated", raw.timing));
  }
  timing.mode = raw.timing == "isolated" ? Mode::isolated : Mode::pipelined;
  require_between("--iters", timing.iterations, 1);
  require_between("--agg_iters", timing.aggregated, 1);
  require_between("--check", timing.checks, 0);
  require_between("--average", raw.average, 0, 3);
  require_between("--blocking", raw.blocking, 0, 3);
  require_between("--per_iter_timing", raw.each_iteration, 0, 1);
  require_between("--per_iter_skip", timing.skipped, 0, timing.iterations - 1);
  require_between("--samples", raw.samples, 0);
  timing.average = static_cast<Average>(raw.average);
  timing.blocking = static_cast<Blocking>(raw.blocking);
  timing.each_iteration = raw.each_iteration == 1;
  timing.samples = raw.samples > 0                 ? raw.samples
                   : timing.mode == Mode::isolated ? timing.iterations
                                                   : 1;
  if (timing.each_iteration && timing.mode == Mode::isolated) {
    throw UsageError("--per_iter_timing 1 needs pipelined timing; isolated times each anyway");
  }
  if (!(raw.precision_percent >= 0 && raw.precision_percent < 100)) {
    throw UsageError(
        fmt::format("--precision is {}, it must be from 0 to 100 percent", raw.precision_percent));
  }
  if (!(timing.budget_seconds > 0)) throw UsageError("--budget must be above 0 seconds");
  timing.precision = raw.precision_percent / 100;
}

Options read(const Collective& collective, const RawOptions& raw, Options options) {
  options.sweep.min_bytes = size_of("--minbytes", raw.min_bytes);
  options.sweep.max_bytes = size_of("--maxbytes", raw.max_bytes);
  options.sweep.step_bytes = size_of("--stepbytes", raw.step_bytes);
  // As in nccl-tests, 0 does not multiply either.
  if (options.sweep.step_factor == 0) options.sweep.step_factor = 1;
  check(options.sweep);
  check_without_effect(collective, raw);
  read_timing(raw, options.timing);
  require_between("--warmup_iters", options.warmup_iterations, 0);
  require_between("--run_cycles", options.cycles, 0);
  require_between("--report_timestamps", raw.timestamps, 0, 1);
  if (!(options.timeout_seconds >= 0)) throw UsageError("--timeout must not be below 0 seconds");
  if (raw.report == "-") throw UsageError("--report is `-`, but stdout has the table; name a file");
  read_gpu_options(raw, options);
  options.timestamps = raw.timestamps == 1;
  options.datatypes = parse_datatypes(raw.type);
  options.reductions = parse_reductions(raw.reduction);
  options.root = root_of(raw.root);
  options.backend = parse_backend(raw.backend);
  if ((options.backend == BackendChoice::sim) != !raw.world.empty()) {
    throw UsageError("--backend sim needs --world FILE, and --world FILE needs --backend sim");
  }
  options.world = raw.world;
  options.report = raw.report;
  if (!raw.node_profile.empty()) options.node_profile = raw.node_profile;
  return options;
}

}  // namespace

std::string_view to_string(BackendChoice choice) {
  return backend_names[static_cast<size_t>(choice)];
}

BackendChoice parse_backend(const std::string& text) {
  for (size_t i = 0; i < backend_names.size(); ++i) {
    if (text == backend_names[i]) return static_cast<BackendChoice>(i);
  }
  const std::vector<std::string> known(backend_names.begin(), backend_names.end());
  const std::string guess = nearest(text, known);
  throw UsageError(fmt::format("unknown backend `{}`", text) +
                   (guess.empty() ? fmt::format("; known are {}", join(known, ", "))
                                  : fmt::format("; did you mean `{}`?", guess)));
}

std::optional<Options> parse_options(const Collective& collective,
                                     std::span<const std::string> args) {
  Options options;
  options.arguments.assign(args.begin(), args.end());
  RawOptions raw;
  const std::string program = collective.program();
  CommandLine line(program,
                   "Measure the bandwidth of a collective over all ranks and check its data.");
  line.about(
      "The ranks are the tasks of a job, on GPUs with NCCL or in host memory. Every element of the "
      "data is checked. Options and table are those of nccl-tests; the last line is the verdict.");
  add_options_of_nccl_tests(line, options, raw);
  add_options_of_gpus(line, options, raw);
  add_options_without_effect(line, raw);
  add_options_of_our_own(line, options, raw);
  line.example(fmt::format("srun {} -b 1M -e 1G -f 2", program),
               "one rank for each task, from 1 MiB to 1 GiB in total");
  line.example(fmt::format("srun {} -b 64M -e 64M --samples 20 --report now.json", program),
               "one size, 20 samples, and a report for bandwidth_compare");
  line.exit_status("0", "passed, too noisy to say, or not judged");
  line.exit_status("1", "failed: wrong data, or slower than expected of the machine type");
  line.exit_status("3", "the test could not run");
  line.see_also("bandwidth_scan(1)");
  line.see_also("bandwidth_compare(1)");
  line.see_also("bandwidth_plot(1)");
  refuse_variables(args);
  try {
    if (!line.parse(args)) return std::nullopt;
  } catch (const UsageError& error) {
    throw UsageError(with_advice(error.what()));
  }
  return read(collective, raw, std::move(options));
}

}  // namespace slipway::bandwidth
