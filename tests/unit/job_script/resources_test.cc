// Tests of Slurm's notations of numbers.
#include "launcher/job_script/resources.h"

#include "tests/unit/catch.h"

using namespace slipway::job_script;

TEST_CASE("job resources: GPUs in --gres and --gpus-per-node") {
  CHECK(gpu_count("gpu:8", true) == 8);
  CHECK(gpu_count("gpu:h100:4", true) == 4);
  CHECK(gpu_count("gpu", true) == 1);
  CHECK(gpu_count("gpu:h100", true) == 1);
  CHECK(gpu_count("shard:2,gpu:2", true) == 2);
  CHECK(gpu_count("shard:2", true) == 0);
  CHECK(gpu_count("8", false) == 8);
  CHECK(gpu_count("h100:8", false) == 8);
  CHECK(gpu_count("h100", false) == std::nullopt);
}

TEST_CASE("job resources: memory and numbers of nodes") {
  CHECK(mebibytes("64G") == 65536);
  CHECK(mebibytes("64GB") == 65536);
  CHECK(mebibytes("1000") == 1000);
  CHECK(mebibytes("2048K") == 2);
  CHECK(mebibytes("0") == 0);
  CHECK(mebibytes("much") == std::nullopt);
  REQUIRE(node_count("2-4"));
  CHECK(node_count("2-4")->least == 2);
  CHECK(node_count("2-4")->most == 4);
  CHECK(node_count("1k")->most == 1024);
  CHECK_FALSE(node_count("4-2"));
  CHECK_FALSE(node_count("0"));
  CHECK_FALSE(node_count("many"));
}
