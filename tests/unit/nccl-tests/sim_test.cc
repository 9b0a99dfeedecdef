#include "nccl-tests/sim_backend.h"

#include <cmath>

#include "common/error.h"
#include "common/file.h"
#include "nccl-tests/measure.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

SimWorld world_of(const std::string& yaml) {
  const TemporaryDirectory directory;
  write_file(directory / "world.yaml", yaml);
  return load_sim_world(directory / "world.yaml");
}

double busbw(const SimWorld& world, Kind kind = Kind::all_gather) {
  const auto backend = make_sim_backend(world);
  const Buffers buffers(*backend, 1 << 30, 1 << 30);
  const Case which{&collective_of(kind), {"float", 4}, std::nullopt, std::nullopt};
  return measure(*backend, which, 1 << 30, buffers, {}).out_of_place.busbw_gb_per_s;
}

}  // namespace

TEST_CASE("sim: busbw is the speed of the slowest link between neighbors") {
  SimWorld world = world_of("{nodes: 4, gb_per_s: 25}");
  CHECK(busbw(world) == Approx(25).epsilon(0.01));
  CHECK(busbw(world, Kind::all_reduce) == Approx(25).epsilon(0.01));
  CHECK(busbw(world, Kind::sendrecv) == Approx(25).epsilon(0.01));
  world.slow_nodes[2] = 0.5;
  CHECK(busbw(world) == Approx(12.5).epsilon(0.01));
  world.slow_links[{0, 1}] = 0.1;
  CHECK(busbw(world) == Approx(2.5).epsilon(0.01));
}

TEST_CASE("sim: ranks of one node have its own speed between them") {
  CHECK(busbw(world_of("{nodes: 1, ranks_per_node: 8, gb_per_s: 25, inside_gb_per_s: 400}")) ==
        Approx(400).epsilon(0.02));
}

TEST_CASE("sim: a block's uplink slows what crosses it, and nothing else") {
  SimWorld world = world_of("{nodes: 4, gb_per_s: 10, block_size: 2, slow_blocks: {1: 0.5}}");
  CHECK(world.speed(2, 3) == 10);
  CHECK(world.speed(0, 1) == 10);
  CHECK(world.speed(1, 2) == 5);
}

TEST_CASE("sim: noise follows its seed, and has the given width") {
  SimWorld world = world_of("{nodes: 2, gb_per_s: 10, noise: 0.05, seed: 7}");
  double sum = 0, squares = 0;
  for (uint64_t run = 0; run < 10000; ++run) {
    const double factor = world.noise_of(3, run);
    CHECK(factor == world.noise_of(3, run));
    sum += factor;
    squares += (factor - 1) * (factor - 1);
  }
  CHECK(sum / 10000 == Approx(1).epsilon(0.005));
  CHECK(std::sqrt(squares / 10000) == Approx(0.05).epsilon(0.05));
  CHECK(world.noise_of(3, 0) != world.noise_of(4, 0));
}

TEST_CASE("sim: a file that is wrong is shown with its lines") {
  CHECK_THROWS_WITH(world_of("nodes: 4\ngb_per_s: 25\nslow_nodes: {node-4: 0.8}\nnosie: 1\n"),
                    ContainsSubstring("there is no node `node-4`") &&
                        ContainsSubstring("did you mean `noise`?") &&
                        ContainsSubstring("world.yaml:3:14"));
  CHECK_THROWS_WITH(world_of("gb_per_s: 25\n"), ContainsSubstring("has no `nodes`"));
  CHECK_THROWS_AS(world_of("nodes: 1000000000\ngb_per_s: 1\n"), Error);
}

TEST_CASE("sim: a run on all nodes fails if one is dead") {
  CHECK_THROWS_WITH(make_sim_backend(world_of("{nodes: 4, gb_per_s: 25, dead: [node-1]}")),
                    "node-1 is dead, and the run is on all nodes");
}
