// Tests of --nccl-watch of the built plugin nccl_env.
#include "tests/unit/catch.h"
#include "tests/unit/spank-plugins/nccl_env_node.h"

using namespace fake_slurm;

TEST_CASE("nccl_env plugin: --nccl-watch turns on Slipway's profiler plugin for NCCL") {
  const NcclEnvNode node;
  const Step step = run_step(node.plugin(), {}, {"show", "--nccl-watch"});
  const Environment& seen = step.tasks[0].environment;
  CHECK(seen.at("NCCL_INSPECTOR_ENABLE") == "1");
  CHECK(seen.at("NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS") == "1000000");
  CHECK(seen.at("NCCL_PROFILER_PLUGIN").ends_with("/nccl/libnccl-profiler-slipway.so"));
  CHECK(seen.at("NCCL_SOCKET_IFNAME") == "=enp6s0");
  CHECK_THAT(step.tasks[0].errors,
             ContainsSubstring("slipway: --nccl-watch  it records collectives"));
  CHECK_FALSE(run_step(node.plugin(), {}).tasks[0].environment.contains("NCCL_INSPECTOR_ENABLE"));
  CHECK(run_step(node.plugin(), {}, {"off", "--nccl-watch"}).tasks[0].environment.empty());
}

TEST_CASE("nccl_env plugin: the user's own profiler plugin stays, and a warning says so") {
  const NcclEnvNode node;
  const Step step = run_step(node.plugin(), {{"NCCL_PROFILER_PLUGIN", "mine"}}, {"--nccl-watch"});
  CHECK(step.tasks[0].environment.at("NCCL_PROFILER_PLUGIN") == "mine");
  CHECK_THAT(step.tasks[0].errors,
             ContainsSubstring("nccl_env: warning: demo-0: --nccl-watch records nothing: your own "
                               "NCCL_PROFILER_PLUGIN is `mine`\n"));
  CHECK_THAT(run_step(node.plugin(), {{"NCCL_PROFILER_PLUGIN", "mine"}}).tasks[0].errors,
             !ContainsSubstring("--nccl-watch"));
}

TEST_CASE("nccl_env plugin: NVIDIA's inspector records, so nothing is to warn of") {
  const NcclEnvNode node;
  for (const std::string plugin : {"inspector", "/opt/nccl/libnccl-profiler-inspector.so",
                                   "/opt/slipway/lib/slipway/nccl/libnccl-profiler-slipway.so"}) {
    const Step step = run_step(node.plugin(), {{"NCCL_PROFILER_PLUGIN", plugin}}, {"--nccl-watch"});
    CHECK(step.tasks[0].environment.at("NCCL_PROFILER_PLUGIN") == plugin);
    CHECK_THAT(step.tasks[0].errors, !ContainsSubstring("records nothing"));
  }
}

TEST_CASE(
    "nccl_env plugin: with the recording turned off, --nccl-watch says that it has no effect") {
  const NcclEnvNode node;
  const Step step = run_step(node.plugin(), {{"NCCL_INSPECTOR_ENABLE", "0"}}, {"--nccl-watch"});
  CHECK(step.tasks[0].environment.at("NCCL_INSPECTOR_ENABLE") == "0");
  CHECK_THAT(step.tasks[0].errors,
             ContainsSubstring("nccl_env: warning: demo-0: --nccl-watch records nothing: your own "
                               "NCCL_INSPECTOR_ENABLE is `0`\n"));
}

TEST_CASE("nccl_env plugin: sbatch --nccl-watch holds for each srun, also with --export=NONE") {
  const NcclEnvNode node;
  const Submission sbatch = submit(S_CTX_ALLOCATOR, node.plugin(), {"--nccl-watch"});
  REQUIRE(sbatch.accepted);
  CHECK(sbatch.inherited == OptionValues{"--nccl-watch"});
  CHECK(run_step(node.plugin(), sbatch.kept).tasks[0].environment.at("NCCL_INSPECTOR_ENABLE") ==
        "1");
  const Submission srun = submit(S_CTX_LOCAL, node.plugin(), {"--nccl-watch", "off"});
  CHECK(srun.accepted);
  CHECK(srun.log == std::vector<std::string>{
                        "nccl_env: --nccl-watch has no effect here, as --nccl-env is `off`"});
  CHECK(submit(S_CTX_LOCAL, node.plugin({"default=warn"}), {"--nccl-watch"}).log ==
        std::vector<std::string>{
            "nccl_env: --nccl-watch has no effect here, as --nccl-env is `warn`"});
  CHECK(submit(S_CTX_LOCAL, node.plugin({"default=warn"}), {"--nccl-watch", "on"}).log.empty());
}
