// Tests places in the blueprint of a deployment folder, and which groups use each other.
#include "launcher/apply/places.h"

#include "common/file.h"
#include "launcher/google/record.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using apply::Places;

namespace {

constexpr const char* expanded = R"yaml(deployment_groups:
- group: network
  modules:
  - id: net
    source: modules/network/vpc
- group: disks
  modules:
  - id: home
    source: modules/file-system/filestore
    settings:
      network: ((module.net.network_id))
- group: cluster
  modules:
  - id: login
    source: ./login
    depends_on: [net]
    settings:
      text: "((module.home.name)) and ((module.login.name))"
)yaml";

}  // namespace

TEST_CASE(
    "places: a group uses the groups of all modules that it names, even if the values are known") {
  const TemporaryDirectory directory;
  make_directories(directory / ".slipway");
  write_file(directory / google::blueprint_file, expanded);
  source::Sources sources;
  const Places places(directory.path(), sources);
  CHECK(places.used_by("network").empty());
  CHECK(places.used_by("disks") == std::vector<std::string>{"network"});
  CHECK(places.used_by("cluster") == std::vector<std::string>{"disks", "network"});
  CHECK(places.used_by("other").empty());
  CHECK(sources.place(places.module("login").begin).line == 14);
  CHECK(sources.place(places.group("disks").begin).line == 6);
  CHECK(!places.module("other"));
}

TEST_CASE("places: without a blueprint, all spans are empty") {
  const TemporaryDirectory directory;
  source::Sources sources;
  const Places places(directory.path(), sources);
  CHECK(!places.group("network"));
  CHECK(places.used_by("network").empty());
}
