#include "launcher/cluster/zones.h"

#include "common/file.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/source/diagnostics.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::cluster;

namespace {

struct ReadZones {
  explicit ReadZones(const std::string& text) {
    slipway::write_file(folder / "zones.yaml", text);
    zones = load_zones(folder.path(), sources, diagnostics);
  }
  std::string said() const { return folder.relative(render(diagnostics)); }

  TemporaryDirectory folder;
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics{sources};
  Zones zones;
};

const std::string good =
    "regions:\n"
    "  us-central1: [a, f]\n"
    "  us-south1: [ai1b]\n"
    "offered:\n"
    "- machine_types: [big-1, big-2]\n"
    "  zones: {us-central1: [f], us-south1: [ai1b]}\n";

}  // namespace

TEST_CASE("zones: the shipped ones are valid, and name only machine types of the catalogue") {
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  const auto folder = source_root / "blueprints/catalogue";
  const Zones zones = load_zones(folder, sources, diagnostics);
  const Catalogue catalogue = load_catalogue(folder, sources, diagnostics);
  CHECK(render(diagnostics) == "");
  CHECK(zones.region_of("us-central1-f") == "us-central1");
  for (const auto& [machine, places] : zones.offered) {
    INFO(machine);
    CHECK(catalogue.find_machine(machine) != nullptr);
  }
}

TEST_CASE("zones: a zone's name is its region's plus a letter") {
  const ReadZones read(good);
  REQUIRE(read.said() == "");
  CHECK(read.zones.region_names() == std::vector<std::string>{"us-central1", "us-south1"});
  CHECK(read.zones.region_of("us-south1-ai1b") == "us-south1");
  CHECK(read.zones.region_of("us-south1-a") == "");
  CHECK(read.zones.region_of("us-south2-a") == "");
  CHECK(read.zones.region_of("") == "");
  CHECK(read.zones.offered.at("big-2") ==
        std::vector<std::string>{"us-central1-f", "us-south1-ai1b"});
}

TEST_CASE("zones: reports an offer in an unknown zone, and a value that is not a list") {
  CHECK(ReadZones(good + "- machine_types: [small]\n  zones: {us-central1: [b], mars: [a]}\n")
            .said() ==
        "error[E0902]: there is no zone `us-central1-b`\n"
        " --> zones.yaml:8:11\n"
        "  |\n"
        "8 |   zones: {us-central1: [b], mars: [a]}\n"
        "  |           ^^^^^^^^^^^\n"
        "\n"
        "error[E0902]: there is no zone `mars-a`\n"
        " --> zones.yaml:8:29\n"
        "  |\n"
        "8 |   zones: {us-central1: [b], mars: [a]}\n"
        "  |                             ^^^^\n");
  CHECK(ReadZones("regions: {us-central1: a}\noffered: []\n").said().starts_with("error[E0902]: "));
}

TEST_CASE("zones: a kind of place takes regions, zones or names of its own") {
  const ReadZones read(
      "sources: {here: a page}\n"
      "kinds:\n"
      "  bucket: {regions: true, others: [eu], any_case: true, is: a location, source: here}\n" +
      good);
  REQUIRE(read.said() == "");
  const KindOfPlace& bucket = read.zones.kinds.at("bucket");
  CHECK(bucket.regions);
  CHECK_FALSE(bucket.zones);
  CHECK(bucket.any_case);
  CHECK(bucket.others == std::vector<std::string>{"eu"});
  CHECK(bucket.is == "a location");
  const ReadZones unsourced("sources: {here: a page}\nkinds: {bucket: {is: a location}}\n" + good);
  CHECK(unsourced.said().starts_with("error[E0902]: the kind `bucket` has no `source`"));
}
