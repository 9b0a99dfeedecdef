// Tests of jobs as their scripts describe them.
#include "launcher/job_script/job.h"

#include "common/error.h"
#include "launcher/job_script/image.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job_script;

namespace {

struct Read {
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  JobScript job;
};

std::unique_ptr<Read> read(const std::string& text) {
  auto result = std::make_unique<Read>();
  WalkInput input;
  input.script = result->sources.add("job", text);
  result->job = read_job("job", input, result->sources, result->diagnostics);
  return result;
}

}  // namespace

TEST_CASE("job script: what it asks for, with its lines") {
  const auto result =
      read("#!/bin/bash\n#SBATCH -N 4 --ntasks-per-node=8\n#SBATCH --gres=gpu:8\nsrun -n 32 a b\n");
  CHECK(result->diagnostics.errors() == 0);
  const Resources& asked = result->job.resources;
  CHECK(asked.nodes.value.most == 4);
  CHECK(result->sources.text(asked.nodes.place) == "-N 4");
  CHECK(asked.tasks_per_node.value == 8);
  CHECK(asked.gpus_per_node.value == 8);
  CHECK(result->sources.place(asked.gpus_per_node.place.begin).line == 3);
  REQUIRE(result->job.steps.size() == 1);
  CHECK(result->job.steps[0].resources.tasks.value == 32);
  CHECK(result->job.steps[0].program.size() == 2);
}

TEST_CASE("job script: the image, through a file that the script imports") {
  const auto result = read(
      "#!/bin/bash\nimage=$HOME/a.sqsh\nenroot import -o \"$image\" "
      "docker://nvcr.io#nvidia/nemo:25.09\n"
      "srun --container-image=\"$image\" --container-mounts=/a:/b:ro+mkdir,/c,$HOME/d:/d a\n");
  const JobStep& step = result->job.steps.at(0);
  const StepImage image = image_of(result->job, step);
  CHECK(image.address == "nvcr.io/nvidia/nemo:25.09");
  CHECK(image.asked.text == "$HOME/a.sqsh");
  REQUIRE(step.mounts.size() == 3);
  CHECK(step.mounts[0].target == "/b");
  CHECK(step.mounts[0].flags == std::vector<std::string>{"ro", "mkdir"});
  CHECK(step.mounts[0].unknown.empty());
  CHECK(step.mounts[1].target == "/c");
  CHECK(step.mounts[2].unknown == std::vector<std::string>{"HOME"});
}

TEST_CASE("job script: addresses of images") {
  CHECK(registry_address("nvcr.io#nvidia/pytorch:24.04-py3") == "nvcr.io/nvidia/pytorch:24.04-py3");
  CHECK(registry_address("docker://me@ghcr.io#a/b") == "ghcr.io/a/b");
  CHECK(registry_address("ubuntu:24.04") == "ubuntu:24.04");
  CHECK(registry_address("nvcr.io/nvidia/x@sha256:" + std::string(64, 'a')) ==
        "nvcr.io/nvidia/x@sha256:" + std::string(64, 'a'));
  CHECK(registry_address("localhost:5000#a/b:1") == "localhost:5000/a/b:1");
  for (const char* wrong : {"nvcr.io#A b", "podman://a", "me:word@ghcr.io#a", "a:b/c:d e"}) {
    CHECK_THROWS_AS(registry_address(wrong), Error);
  }
}

TEST_CASE("job script: mistakes are reported where they are") {
  const auto result =
      read("#!/bin/bash\n#SBATCH --node=4x --nosuch\n#SBATCH --time=1h\nsrun --lable a\n");
  CHECK(render(result->diagnostics) == R"(error[E0601]: sbatch has no option `--node`
 --> job:2:9
  |
2 | #SBATCH --node=4x --nosuch
  |         ^^^^^^^^^
  = help: did you mean `--nodes`?

error[E0601]: sbatch has no option `--nosuch`
 --> job:2:19
  |
2 | #SBATCH --node=4x --nosuch
  |                   ^^^^^^^^

error[E0601]: `1h` is not a value of `--time`
 --> job:3:9
  |
3 | #SBATCH --time=1h
  |         ^^^^^^^^^

error[E0601]: srun has no option `--lable`
 --> job:4:6
  |
4 | srun --lable a
  |      ^^^^^^^
  = help: did you mean `--label`?
)");
}

TEST_CASE("job script: lines for Slipway") {
  const std::string text =
      "#!/bin/bash\n#SLIPWAY --image=a/b:c --queue='x y'\n#SBATCH -N1\ntrue\n#SLIPWAY --no\n";
  source::Sources sources;
  const source::Span span = sources.add("job", text);
  const auto words = words_for_slipway(text, span);
  REQUIRE(words.size() == 2);
  CHECK(words[0].value.text == "--image=a/b:c");
  CHECK(sources.text(words[0].place) == "--image=a/b:c");
  CHECK(words[1].value.text == "--queue=x y");
}
