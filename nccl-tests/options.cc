// The command line of the *_perf programs: nccl-tests' flags, and those of our own.
#include "nccl-tests/options.h"

#include <array>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

constexpr std::array<std::string_view, 5> backend_names = {"auto", "mpi", "tcp", "nccl", "sim"};

// What stands on the command line, before it is looked at.
struct Words {
  std::string min_bytes = "32M", max_bytes = "32M", step_bytes = "1M";
  std::string type = "float", reduction = "sum", root = "0";
  std::string timing = "pipelined", backend = "auto";
  std::string world, report, node_profile, output_file;
  int average = 1, blocking = 0, each_iteration = 0, timestamps = 0;
  int samples = 0;
  double precision_percent = 0;
  int gpus = 1, threads = 1, parallel_init = 0, graph = 0, cpu_time = 0, null_stream = 0;
  int local_register = 0, device_implementation = 0, memory = 0, unalign = 0;
};

void require_between(std::string_view option, int value, int least, int most = 1 << 30) {
  if (value >= least && value <= most) return;
  throw UsageError(
      most == 1 << 30
          ? fmt::format("{} is {}, it must be at least {}", option, value, least)
          : fmt::format("{} is {}, it must be from {} to {}", option, value, least, most));
}

// An option of nccl-tests' whose other values have nothing to act on here.
void require_only(std::string_view option, int value, int only, std::string_view why) {
  if (value != only) throw UsageError(fmt::format("{} is {}; {}", option, value, why));
}

// A size, with the option's name in front of what is wrong with it.
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

void add_options_of_nccl_tests(CommandLine& line, Options& options, Words& words) {
  Timing& timing = options.timing;
  line.option("minbytes,b", "SIZE", "smallest size (default 32M; K, M, G)", &words.min_bytes);
  line.option("maxbytes,e", "SIZE", "largest size (default 32M)", &words.max_bytes);
  line.option("stepbytes,i", "SIZE", "add this from size to size (default 1M)", &words.step_bytes);
  line.option("stepfactor,f", "N",
              "multiply by this from size to size, instead of adding; 1 (default) adds",
              &options.sweep.step_factor);
  line.option("iters,n", "N", "timed iterations of each size (default 20)", &timing.iterations);
  line.option("warmup_iters,w", "N", "untimed iterations before them (default 1)",
              &options.warmup_iterations);
  line.option("agg_iters,m", "N", "operations in an iteration (default 1)", &timing.aggregated);
  line.option("run_cycles,N", "N", "runs of the whole sweep, 0 for ever (default 1)",
              &options.cycles);
  line.option("average,a", "N", "which time: of rank 0 (0), mean (1, default), min (2), max (3)",
              &words.average);
  line.option("per_iter_timing,I", "0|1", "columns of each iteration's time",
              &words.each_iteration);
  line.option("per_iter_skip,K", "N", "iterations left out of them", &timing.skipped);
  line.option("check,c", "N", "checked iterations of each size, 0 for none (default 1)",
              &timing.checks);
  line.option("op,o", "OP", "sum (default), prod, min, max, avg, or all", &words.reduction);
  line.option("datatype,d", "TYPE", "int8 to double, bfloat16, …, or all (default float)",
              &words.type);
  line.option("root,r", "RANK", "of collectives that have one; all: each in turn (default 0)",
              &words.root);
  line.option("blocking,z", "0-3",
              "wait after each operation: 1 and a barrier, 2, 3 untimed barrier", &words.blocking);
  line.option("timeout,T", "SECONDS", "give up when nothing moves for so long, and say who hangs",
              &options.timeout_seconds);
  line.option("report_timestamps,S", "0|1", "a column with the time of day", &words.timestamps);
}

// Nccl-tests has them; here they are taken for the sake of scripts, with the value that they have.
void add_options_without_effect(CommandLine& line, Words& words) {
  line.option("ngpus,g", "1", "a rank is one process with one GPU", &words.gpus);
  line.option("nthreads,t", "1", "likewise", &words.threads);
  line.option("parallel_init,p", "0|1", "likewise: no effect", &words.parallel_init);
  line.option("stream_null,y", "0", "no other value", &words.null_stream);
  line.option("cudagraph,G", "0", "no other value", &words.graph);
  line.option("report_cputime,C", "0", "no other value", &words.cpu_time);
  line.option("local_register,R", "0", "no other value", &words.local_register);
  line.option("device_implementation,D", "0", "no other value", &words.device_implementation);
  line.option("memory,M", "0", "no other value", &words.memory);
  line.option("unalign,u", "0", "no other value", &words.unalign);
  line.option("output_file,J", "FILE", "not taken; see --report", &words.output_file);
}

void add_options_of_our_own(CommandLine& line, Options& options, Words& words) {
  line.option("backend", "NAME",
              "auto (default), nccl (GPUs), mpi or tcp (host memory), sim (virtual time)",
              &words.backend);
  line.option("world", "FILE", "the nodes and links of the backend sim, YAML", &words.world);
  line.option("timing", "MODE", "pipelined (default; as nccl-tests) or isolated: one at a time",
              &words.timing);
  line.option("samples", "N",
              "samples of each size: of --iters iterations each (default 1), or of "
              "one if isolated (default --iters)",
              &words.samples);
  line.option("precision", "PERCENT",
              "go on until the median is known as well as that, with 95 % confidence",
              &words.precision_percent);
  line.option("budget", "SECONDS", "of --precision, for a size and placement (default 30)",
              &options.timing.budget_seconds);
  line.option("report", "FILE",
              "write the result as JSON (schema slipway/bandwidth/1); an older FILE is replaced",
              &words.report);
  line.option("node-profile", "FILE", "what machine this is (default /etc/slipway/node.json)",
              &words.node_profile);
}

void check_without_effect(const Words& words) {
  require_only("--ngpus", words.gpus, 1, "start one rank for each");
  require_only("--nthreads", words.threads, 1, "start one rank for each");
  require_only("--stream_null", words.null_stream, 0, "ranks have a stream of their own");
  require_only("--cudagraph", words.graph, 0, "CUDA graphs are not measured");
  require_only("--report_cputime", words.cpu_time, 0,
               "the time until the data is there is printed");
  require_only("--local_register", words.local_register, 0, "buffers are not registered");
  require_only("--device_implementation", words.device_implementation, 0,
               "kernels of one's own are not measured");
  require_only("--memory", words.memory, 0, "memory is not reported");
  require_only("--unalign", words.unalign, 0, "buffers are aligned");
  if (!words.output_file.empty()) {
    throw UsageError(
        "--output_file is nccl-tests' own JSON; write --report FILE, whose schema is "
        "slipway/bandwidth/1");
  }
}

void read_timing(const Words& words, Timing& timing) {
  if (words.timing != "pipelined" && words.timing != "isolated") {
    throw UsageError(
        fmt::format("--timing is `{}`; known are pipelined and isolated", words.timing));
  }
  timing.mode = words.timing == "isolated" ? Mode::isolated : Mode::pipelined;
  require_between("--iters", timing.iterations, 1);
  require_between("--agg_iters", timing.aggregated, 1);
  require_between("--check", timing.checks, 0);
  require_between("--average", words.average, 0, 3);
  require_between("--blocking", words.blocking, 0, 3);
  require_between("--per_iter_timing", words.each_iteration, 0, 1);
  require_between("--per_iter_skip", timing.skipped, 0, timing.iterations - 1);
  require_between("--samples", words.samples, 0);
  timing.average = static_cast<Average>(words.average);
  timing.blocking = static_cast<Blocking>(words.blocking);
  timing.each_iteration = words.each_iteration == 1;
  timing.samples = words.samples > 0               ? words.samples
                   : timing.mode == Mode::isolated ? timing.iterations
                                                   : 1;
  if (timing.each_iteration && timing.mode == Mode::isolated) {
    throw UsageError("--per_iter_timing 1 is of pipelined timing; isolated times each anyway");
  }
  if (!(words.precision_percent >= 0 && words.precision_percent < 100)) {
    throw UsageError(fmt::format("--precision is {}, it must be from 0 to 100 percent",
                                 words.precision_percent));
  }
  if (!(timing.budget_seconds > 0)) throw UsageError("--budget must be above 0 seconds");
  timing.precision = words.precision_percent / 100;
}

Options read(const Words& words, Options options) {
  options.sweep.min_bytes = size_of("--minbytes", words.min_bytes);
  options.sweep.max_bytes = size_of("--maxbytes", words.max_bytes);
  options.sweep.step_bytes = size_of("--stepbytes", words.step_bytes);
  check(options.sweep);
  check_without_effect(words);
  read_timing(words, options.timing);
  require_between("--warmup_iters", options.warmup_iterations, 0);
  require_between("--run_cycles", options.cycles, 0);
  require_between("--report_timestamps", words.timestamps, 0, 1);
  if (!(options.timeout_seconds >= 0)) throw UsageError("--timeout must not be below 0 seconds");
  if (words.report == "-")
    throw UsageError("--report is `-`, but stdout has the table; name a file");
  options.timestamps = words.timestamps == 1;
  options.datatypes = parse_datatypes(words.type);
  options.reductions = parse_reductions(words.reduction);
  options.root = root_of(words.root);
  options.backend = parse_backend(words.backend);
  if ((options.backend == BackendChoice::sim) != !words.world.empty()) {
    throw UsageError("--backend sim and --world FILE belong together");
  }
  options.world = words.world;
  options.report = words.report;
  if (!words.node_profile.empty()) options.node_profile = words.node_profile;
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
  Words words;
  const std::string program = collective.program();
  CommandLine line(
      program, "[OPTIONS]",
      "Measure the bandwidth of a collective over all ranks, between GPUs with NCCL or "
      "in host memory, and check\nevery element of the data. Flags and table are those "
      "of nccl-tests. The last line is the verdict; the exit\nstatus is 0 for pass and "
      "not judged, 1 for fail, 2 for a wrong command line, 3 when it could not run.");
  add_options_of_nccl_tests(line, options, words);
  add_options_without_effect(line, words);
  add_options_of_our_own(line, options, words);
  line.example(fmt::format("srun {} -b 1M -e 1G -f 2", program),
               "one rank a task of the job, 1 MiB to 1 GiB in total");
  line.example(fmt::format("srun {} -b 64M -e 64M --samples 20 --report now.json", program),
               "one size, 20 samples, a report that can be compared");
  if (!line.parse(args)) return std::nullopt;
  return read(words, std::move(options));
}

}  // namespace slipway::bandwidth
