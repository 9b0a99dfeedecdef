// Tests which slices of TPUs exist, with the catalogue's data.
#include <map>

#include "launcher/cluster/tpu_table.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::cluster;

namespace {

const TpuGeneration& generation(std::string_view name) {
  static source::Sources sources;
  static source::Diagnostics diagnostics(sources);
  static const TpuTable table =
      load_tpus(TEST_SOURCE_ROOT "/blueprints/catalogue", sources, diagnostics);
  REQUIRE(diagnostics.errors() == 0);
  for (const TpuGeneration& one : table.generations) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no generation " + std::string(name));
}

}  // namespace

TEST_CASE("tpus: topologies have two or three sides") {
  CHECK(tpu_sides("2x4") == std::vector<int64_t>{2, 4});
  CHECK(tpu_sides("16x16x24") == std::vector<int64_t>{16, 16, 24});
  for (const char* wrong : {"", "4", "4x", "x4", "4x4x4x4", "0x4", "4X4", "99999x4", "4x 4"}) {
    CHECK_FALSE(tpu_sides(wrong));
  }
}

TEST_CASE("tpus: slices above one cube are ascending multiples of four") {
  const TpuGeneration& v5p = generation("v5p");
  for (const char* right : {"2x2x1", "2x4x4", "4x4x4", "4x4x8", "8x12x16", "16x16x24"}) {
    CHECK(v5p.has_topology(right));
  }
  for (const char* wrong : {"4x4", "2x2x8", "8x4x4", "4x4x6", "16x16x64", "1x1x2"}) {
    CHECK_FALSE(v5p.has_topology(wrong));
  }
  CHECK_FALSE(generation("v4").has_topology("16x16x20"));
  CHECK(generation("v4").has_topology("16x16x16"));
}

TEST_CASE("tpus: flat generations have a list of topologies") {
  CHECK(generation("v6e").has_topology("8x16"));
  CHECK_FALSE(generation("v6e").has_topology("16x8"));
  CHECK_FALSE(generation("v6e").has_topology("4x4x4"));
  CHECK(generation("v3").has_topology("32x32"));
  CHECK_FALSE(generation("v2").has_topology("4x8"));
}

TEST_CASE("tpus: sizes in chips") {
  for (const int64_t chips : {4, 8, 16, 32, 64, 128, 192, 4096}) {
    CHECK(generation("v4").has_size(chips));
  }
  for (const int64_t chips : {0, 1, 12, 48, 96, 4160})
    CHECK_FALSE(generation("v4").has_size(chips));
  CHECK(generation("v6e").has_size(1));
  CHECK_FALSE(generation("v6e").has_size(512));
}

TEST_CASE("tpus: the usual topology of a size is the most compact one") {
  const std::map<int64_t, const char*> usual = {
      {4, "2x2x1"},   {8, "2x2x2"},   {16, "2x2x4"},  {32, "2x4x4"},    {64, "4x4x4"},
      {128, "4x4x8"}, {256, "4x8x8"}, {512, "8x8x8"}, {1024, "8x8x16"}, {2048, "8x16x16"}};
  for (const auto& [chips, topology] : usual) {
    CHECK(generation("v4").topologies_of(chips)[0] == topology);
    CHECK(generation("tpu7x").topologies_of(chips)[0] == topology);
  }
  CHECK(generation("v4").topologies_of(256) == std::vector<std::string>{"4x8x8", "4x4x16"});
  CHECK(generation("v6e").topologies_of(32) == std::vector<std::string>{"4x8"});
  for (const int64_t chips : {0, 12, 96, 4160})
    CHECK(generation("v4").topologies_of(chips).empty());
  CHECK(generation("v6e").topologies_of(512).empty());
}

TEST_CASE("tpus: every topology of a size can be had") {
  for (int64_t cubes = 1; cubes <= generation("v5p").cubes; ++cubes) {
    for (const std::string& topology : generation("v5p").topologies_of(64 * cubes)) {
      CHECK(generation("v5p").has_topology(topology));
      CHECK(tpu_chips(*tpu_sides(topology)) == 64 * cubes);
    }
  }
}
