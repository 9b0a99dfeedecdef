// Tests that the journal is read back as written, and that an invalid journal is an error.
#include "launcher/apply/journal.h"

#include "common/error.h"
#include "common/file.h"
#include "launcher/google/write_folder.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::apply;

namespace {

// A deployment folder with one group.
struct Deployed {
  TemporaryDirectory directory;
  std::filesystem::path path = directory / "small";

  Deployed() {
    google::Definitions definitions;
    definitions.deployment = "small";
    google::GroupSteps steps;
    steps.name = "one";
    steps.kind = "packer";
    steps.packer_target = "x";
    steps.inputs = {{"v", "zero"}};
    steps.late_settings = {{"s", "${var.v}"}};
    definitions.groups = {steps};
    definitions.files.push_back({google::record_file, google::record(definitions)});
    google::write_folder(path, definitions, google::Existing::refuse);
  }
};

}  // namespace

TEST_CASE("journal: is read back as written") {
  const Deployed deployed;
  const Folder folder(deployed.path);
  Journal journal(folder);
  CHECK(journal.finished);
  CHECK(!journal.known("one").may_exist());
  journal.run = 3;
  journal.finished = false;
  journal.program = "tofu";
  journal.child = 17;
  journal.child_start_time = "12345";
  journal.group("one").digest = "d";
  journal.group("one").images = {{"packer.googlecompute", "image-1", "my-project"}};
  journal.put("one", State::destroying);
  const Journal again(folder);
  CHECK(again.run == 3);
  CHECK(!again.finished);
  CHECK(again.program == "tofu");
  CHECK(again.child == 17);
  CHECK(again.child_start_time == "12345");
  const GroupState group = again.known("one");
  CHECK(group.state == State::destroying);
  CHECK(group.digest == "d");
  CHECK(group.run == 3);
  REQUIRE(group.images.size() == 1);
  CHECK(group.images[0].name == "image-1");
  CHECK(group.images[0].project == "my-project");
}

TEST_CASE("journal: an unreadable journal is an error") {
  const Deployed deployed;
  const Folder folder(deployed.path);
  write_file(folder.journal(), "{\"schema\": \"slipway/journal/0\"}");
  CHECK_THROWS_AS(Journal(folder), Error);
  write_file(folder.journal(), "");
  CHECK_THROWS_AS(Journal(folder), Error);
}

TEST_CASE("journal: the record of a folder has everything that a deploy needs") {
  const Deployed deployed;
  const Folder folder(deployed.path);
  const google::GroupSteps* group = folder.find("one");
  REQUIRE(group != nullptr);
  CHECK(group->packer_target == "x");
  CHECK(group->late_settings.at("s") == "${var.v}");
  REQUIRE(group->inputs.size() == 1);
  CHECK(group->inputs[0].from_group == "zero");
  CHECK(folder.find("two") == nullptr);
}
