#include "nccl-tests/options.h"

#include <fmt/core.h>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

Options parse(std::vector<std::string> args) {
  return parse_options(collective_of(Kind::all_gather), args).value();
}

}  // namespace

TEST_CASE("options: defaults are nccl-tests'") {
  const Options options = parse({});
  CHECK(options.sweep.min_bytes == 32 << 20);
  CHECK(options.sweep.max_bytes == 32 << 20);
  CHECK(options.sweep.step_bytes == 1 << 20);
  CHECK(options.sweep.step_factor == 1);
  CHECK(options.timing.iterations == 20);
  CHECK(options.warmup_iterations == 1);
  CHECK(options.timing.checks == 1);
  REQUIRE(options.datatypes.size() == 1);
  CHECK(options.datatypes[0].name == "float");
  CHECK(options.report.empty());
}

TEST_CASE("options: short, sticky and long names mean the same") {
  for (const std::vector<std::string>& args : {
           std::vector<std::string>{"-b", "8", "-e", "1K", "-f", "2", "-n", "5", "-w", "0", "-c",
                                    "3", "-d", "half", "-i", "16", "-g", "1"},
           std::vector<std::string>{"-b8", "-e1K", "-f2", "-n5", "-w0", "-c3", "-dhalf", "-i16"},
           std::vector<std::string>{"--minbytes=8", "--maxbytes=1K", "--stepfactor=2", "--iters=5",
                                    "--warmup_iters=0", "--check=3", "--datatype=half",
                                    "--stepbytes=16"},
       }) {
    const Options options = parse(args);
    CHECK(options.sweep.min_bytes == 8);
    CHECK(options.sweep.max_bytes == 1024);
    CHECK(options.sweep.step_factor == 2);
    CHECK(options.sweep.step_bytes == 16);
    CHECK(options.timing.iterations == 5);
    CHECK(options.warmup_iterations == 0);
    CHECK(options.timing.checks == 3);
    REQUIRE(options.datatypes.size() == 1);
    CHECK(options.datatypes[0].name == "half");
  }
}

TEST_CASE("options: `all` is every datatype") {
  CHECK(parse({"-d", "all"}).datatypes.size() == all_datatypes().size());
}

TEST_CASE("options: a mistyped option, size or datatype is a usage error with a suggestion") {
  CHECK_THROWS_WITH(parse({"--itres", "4"}), "unknown option `--itres`; did you mean `--iters`?");
  CHECK_THROWS_WITH(parse({"-d", "flaot"}), "unknown datatype `flaot`; did you mean `float`?");
  CHECK_THROWS_WITH(parse({"-d", "complex128"}),
                    "unknown datatype `complex128`; known are all, int8, uint8, int32, uint32, "
                    "int64, uint64, half, float, double, bfloat16, f8e4m3, f8e5m2");
  CHECK_THROWS_WITH(parse({"-b=8"}),
                    "--minbytes: `=8` is not a size; write bytes, or a number with K, M or G");
  CHECK_THROWS_AS(parse({"-b", "8x"}), UsageError);
  CHECK_THROWS_AS(parse({"-n", "x"}), UsageError);
  CHECK_THROWS_WITH(parse({"64M"}),
                    "unexpected word `64M`: leave it out, as nccl-tests ignores it");
}

TEST_CASE("options: a number out of range is a usage error") {
  CHECK_THROWS_WITH(parse({"-n", "0"}), "--iters is 0, it must be at least 1");
  CHECK_THROWS_WITH(parse({"-w", "-1"}), "--warmup_iters is -1, it must be at least 0");
  CHECK_THROWS_WITH(parse({"-c", "-1"}), "--check is -1, it must be at least 0");
  CHECK_THROWS_WITH(parse({"-g", "0"}), "--ngpus is 0, it must be from 1 to 1024");
  CHECK_THROWS_WITH(parse({"-R", "3"}), "--local_register is 3, it must be from 0 to 2");
  CHECK_THROWS_WITH(
      parse({"-x", "3"}),
      "--cta_policy is `3`, it must be 0, 1 or 2; for a file with the results, write -J FILE");
  CHECK_THROWS_WITH(
      parse({"-b", "64M"}),
      "--minbytes is 67108864, more than --maxbytes, which is 33554432: nothing to run");
  CHECK_THROWS_WITH(parse({"-f", "-2"}), "--stepfactor is -2, it must be at least 1");
  for (const std::string option : {"--minbytes", "--maxbytes", "--stepbytes"}) {
    CHECK_THROWS_WITH(parse({option, "-8"}),
                      option + ": `-8` is not a size; write bytes, or a number with K, M or G");
  }
}

TEST_CASE("options: a factor of 1 adds, as in nccl-tests") {
  CHECK(sizes(parse({"-b", "8", "-e", "24", "-i", "8", "-f", "1"}).sweep) ==
        std::vector<int64_t>{8, 16, 24});
}

TEST_CASE("options: a report on stdout is refused, as the table goes there") {
  CHECK_THROWS_WITH(parse({"--report", "-"}),
                    "--report is `-`, but stdout has the table; name a file");
  CHECK(parse({"--report", "./-"}).report == "./-");
}

TEST_CASE("options: nccl-tests' options for GPUs are read") {
  const Options options =
      parse({"-g", "4", "-t", "2", "-G", "3", "-R", "2",        "-x", "1",
             "-C", "1", "-M", "1", "-u", "1", "-J", "out.json", "-o", "mulsum"});
  CHECK(options.gpus * options.threads == 8);
  CHECK(options.timing.graph_launches == 3);
  CHECK(options.nccl.registration == NcclSettings::Registration::symmetric);
  CHECK(options.nccl.cta_policy == 1);
  CHECK(options.report_issue_time);
  CHECK(options.report_memory);
  CHECK(options.unaligned == 1);
  CHECK(options.nccl_tests_file == "out.json");
  CHECK(parse({"-y", "1"}).nccl.null_stream);
  CHECK(parse({}).nccl.cta_policy == -1);
}

TEST_CASE("options: what cannot be done says what to write") {
  CHECK_THROWS_WITH(parse({"-G", "2", "-z", "1"}),
                    "--cudagraph launches all iterations at once: leave out -I and -z");
  CHECK_THROWS_WITH(parse({"-G", "2", "-y", "1"}),
                    "--cudagraph cannot record the null stream: leave out --stream_null");
}

TEST_CASE("options: device implementations of nccl-tests say what to run") {
  const auto parse_for = [](Kind kind, const std::vector<std::string>& args) {
    return parse_options(collective_of(kind), args);
  };
  CHECK(parse_for(Kind::all_reduce, {"-D", "0", "-V", "16"}).has_value());
  CHECK_THROWS_WITH(
      parse_for(Kind::alltoall, {"-D", "3", "-R", "2", "-V", "24"}),
      "--device_implementation is 3: a kernel of nccl-tests that sends over the network from the "
      "GPU (GIN), compiled for one release of NCCL. To measure it, run nccl-tests' own "
      "alltoall_perf with -D 3 -R 2. To measure NCCL's kernels on symmetric memory, write -R 2 and "
      "leave out -D and -V");
  CHECK_THROWS_WITH(parse_for(Kind::all_reduce, {"-D", "4"}),
                    ContainsSubstring("has the NVSwitch reduce vectors (multimem), compiled"));
  CHECK_THROWS_WITH(parse_for(Kind::all_reduce, {"-D", "5", "-R", "2"}),
                    "--device_implementation is 5; nccl-tests has 1 to 4 of all_reduce, and 0 is "
                    "NCCL's own collective");
  CHECK_THROWS_WITH(
      parse_for(Kind::broadcast, {"-D", "1", "-R", "2"}),
      "--device_implementation is 1, and nccl-tests has device implementations of all_reduce and "
      "alltoall only: leave out -D and -V");
  for (const char* blocks : {"0", "129"}) {
    CHECK_THROWS_WITH(
        parse_for(Kind::all_reduce, {"-V", blocks}),
        "--device_cta_count is " + std::string(blocks) + ", it must be from 1 to 128");
  }
}

TEST_CASE("options: those of nccl-tests' relatives say what to write") {
  CHECK_THROWS_WITH(parse({"-Z", "json"}),
                    "nccl-tests has no -Z; write -J FILE for nccl-tests' JSON, or "
                    "--report FILE for ours");
  CHECK_THROWS_WITH(parse({"-s", "4"}),
                    "nccl-tests has no -s; write --run_cycles N (-N N), as nccl-tests does");
  CHECK_THROWS_WITH(parse({"--json"}),
                    "--json: write -J FILE for nccl-tests' JSON, or --report FILE for ours");
  CHECK_THROWS_WITH(
      parse({"-x", "out.json"}),
      "--cta_policy is `out.json`, it must be 0, 1 or 2; for a file with the results, "
      "write -J FILE");
  CHECK_THROWS_WITH(parse({"-d", "0,1"}),
                    "unknown datatype `0,1`; to choose GPUs, set CUDA_VISIBLE_DEVICES");
  CHECK_THROWS_WITH(parse({"-F", "1"}),
                    ContainsSubstring("nccl-tests has no -F; consecutive runs"));
  CHECK_THROWS_WITH(parse({"--hipgraph", "2"}), ContainsSubstring("write --cudagraph N (-G N)"));
  CHECK_THROWS_WITH(parse({"-n", "10", "NCCL_PROTO=LL"}),
                    "`NCCL_PROTO=LL` sets a variable: write it before the program's name, or with "
                    "-x of mpirun");
  CHECK(parse({"-J", "A=1"}).nccl_tests_file == "A=1");
}

TEST_CASE("options: types by the names of other programs are suggested") {
  const std::pair<const char*, const char*> names[] = {
      {"fp16", "half"}, {"bf16", "bfloat16"}, {"float32", "float"}, {"fp8", "f8e4m3"}};
  for (const auto& [name, type] : names)
    CHECK_THROWS_WITH(parse({"-d", name}),
                      fmt::format("unknown datatype `{}`; did you mean `{}`?", name, type));
}

TEST_CASE("options: a factor of 0 adds a step, as in nccl-tests") {
  CHECK(parse({"-b", "64", "-e", "1K", "-i", "64", "-f", "0"}).sweep.step_factor == 1);
  CHECK_THROWS_WITH(parse({"-f", "-1"}), "--stepfactor is -1, it must be at least 1");
}
