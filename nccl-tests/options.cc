// The command line of the *_perf programs: nccl-tests' flags, and --report.
#include "nccl-tests/options.h"

#include <fmt/format.h>

#include "common/command_line.h"
#include "common/error.h"

namespace slipway::bandwidth {
namespace {

void require(std::string_view option, int value, int least) {
  if (value < least) {
    throw UsageError(fmt::format("{} is {}, it must be at least {}", option, value, least));
  }
}

// A size, with the option's name in front of what is wrong with it.
int64_t size_of(std::string_view option, const std::string& text) try {
  return parse_size(text);
} catch (const UsageError& error) {
  throw UsageError(fmt::format("{}: {}", option, error.what()));
}

}  // namespace

std::optional<Options> parse_options(std::string_view program, std::span<const std::string> args) {
  Options options;
  std::string min_bytes = "32M", max_bytes = "32M", step_bytes = "1M", type = "float", report;
  int gpus = 1;

  CommandLine line(std::string(program), "[OPTIONS]",
                   "Measure the bandwidth of a collective over all ranks, in host memory over MPI, "
                   "and check every\nelement of the data. Flags and table are those of nccl-tests. "
                   "The last line is the verdict; the exit\nstatus is 0 for pass and not judged, 1 "
                   "for fail, 2 for a wrong command line, 3 when it could not run.");
  line.option("minbytes,b", "SIZE", "smallest size (default 32M; K, M, G)", &min_bytes);
  line.option("maxbytes,e", "SIZE", "largest size (default 32M)", &max_bytes);
  line.option("stepbytes,i", "SIZE", "add this from size to size (default 1M)", &step_bytes);
  line.option("stepfactor,f", "N",
              "multiply by this from size to size, instead of adding; 1 (default) adds",
              &options.sweep.step_factor);
  line.option("iters,n", "N", "timed iterations of each size (default 20)", &options.iterations);
  line.option("warmup_iters,w", "N", "untimed iterations before them (default 1)",
              &options.warmup_iterations);
  line.option("check,c", "N", "checked iterations of each size, 0 for none (default 1)",
              &options.check_iterations);
  line.option("datatype,d", "TYPE", "int8 to double, bfloat16, …, or all (default float)", &type);
  line.option("ngpus,g", "N", "taken for nccl-tests' sake; a rank is one process, so only 1",
              &gpus);
  line.option("report", "FILE",
              "write the result as JSON (schema slipway/bandwidth/1); an older FILE is replaced",
              &report);
  line.example(fmt::format("srun --mpi=pmix {} -b 1M -e 1G -f 2", program),
               "one rank a task of the job, 1 MiB to 1 GiB in total");
  line.example(fmt::format("mpirun -n 4 {} -b 64K -e 64K -n 1000 --report now.json", program),
               "one size, many iterations, a report");
  if (!line.parse(args)) return std::nullopt;

  options.sweep.min_bytes = size_of("--minbytes", min_bytes);
  options.sweep.max_bytes = size_of("--maxbytes", max_bytes);
  options.sweep.step_bytes = size_of("--stepbytes", step_bytes);
  check(options.sweep);
  require("--iters", options.iterations, 1);
  require("--warmup_iters", options.warmup_iterations, 0);
  require("--check", options.check_iterations, 0);
  if (gpus != 1) throw UsageError(fmt::format("--ngpus is {}; start one rank for each", gpus));
  if (report == "-") throw UsageError("--report is `-`, but stdout has the table; name a file");
  options.datatypes = parse_datatypes(type);
  options.report = report;
  return options;
}

}  // namespace slipway::bandwidth
