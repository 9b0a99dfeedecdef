// Tests what `slipway doctor node` says about the plugin that gives jobs containers.
#include "launcher/node/container_requirements.h"
#include "tests/unit/catch.h"

using slipway::Requirement;

namespace {

// The first requirement of a node with this plugstack.conf.
Requirement containers_of(const std::string& plugstack) {
  return slipway::node::container_requirements(plugstack, "/none/container.so", "/none").at(0);
}

constexpr const char* our_line = "optional /opt/slipway/lib/slipway/spank/container.so\n";
constexpr const char* pyxis = "required /usr/local/lib/slurm/spank_pyxis.so\n";
constexpr const char* others = "optional /opt/slipway/lib/slipway/spank/nccl_env.so\n";

}  // namespace

TEST_CASE("doctor node: one plugin gives jobs containers") {
  for (const auto& [plugin, found] :
       {std::pair(our_line, "by Slipway's plugin"), {pyxis, "by pyxis"}}) {
    const Requirement said = containers_of(std::string(plugin) + others);
    CHECK(said.state == Requirement::State::ok);
    CHECK(said.found == found);
  }
}

TEST_CASE("doctor node: Slipway's plugin and pyxis together are an error") {
  for (const std::string& both :
       {std::string(our_line) + others + pyxis, std::string(pyxis) + our_line}) {
    const Requirement said = containers_of(both);
    CHECK(said.state == Requirement::State::missing);
    CHECK(said.found == "plugstack.conf names Slipway's plugin and pyxis");
    CHECK(said.remedy == "set the controller's `containers` to pyxis, or remove pyxis's line");
  }
}

TEST_CASE("doctor node: jobs without containers are a warning, unless the blueprint wants it") {
  CHECK(containers_of(others).state == Requirement::State::warning);
  const Requirement none =
      containers_of("# Without containers (`containers: none` in the blueprint).\n");
  CHECK(none.state == Requirement::State::ok);
  CHECK(none.found == "none, as the blueprint says");
}

TEST_CASE("doctor node: a plugin that plugstack.conf names and that is not there is missing") {
  const auto all = slipway::node::container_requirements(our_line, "/none/container.so", "/none");
  REQUIRE(all.size() == 4);
  CHECK(all[1].name == "/none/container.so");
  CHECK(all[1].state == Requirement::State::missing);
  CHECK(all[3].name == "/none/dev/fuse");
  CHECK(all[3].state == Requirement::State::warning);
}
