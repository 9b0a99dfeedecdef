#include "launcher/local/journal.h"

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::local;

namespace {

Plan plan_of(const std::string& deployment) {
  Plan plan;
  plan.deployment = deployment;
  plan.nodes.push_back({"q-controller", "controller", "n2-standard-4", {}, {}, {}, "{}"});
  plan.nodes.back().ports.push_back({"ens4", "10.0.0.2/24", 1460, 0});
  return plan;
}

}  // namespace

TEST_CASE("journal: is read as it was written, and only its owner can read it") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir.path(), "quick");
  std::filesystem::create_directories(folder.path());
  CHECK_FALSE(Journal::read(folder));
  Journal journal;
  journal.phase = Journal::Phase::back;
  journal.wanted = plan_of("quick");
  journal.force = true;
  journal.timeout_seconds = 7;
  journal.adopted = true;
  journal.held = {"q-a-0"};
  journal.why = "node q-a-1: no";
  journal.write(folder);
  const auto mode = std::filesystem::status(folder.journal()).permissions();
  CHECK(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  const std::optional<Journal> read = Journal::read(folder);
  REQUIRE(read);
  CHECK(read->phase == Journal::Phase::back);
  CHECK(read->wanted.controller().name == "q-controller");
  CHECK(read->force);
  CHECK(read->timeout_seconds == 7);
  CHECK(read->adopted);
  CHECK(read->held == std::vector<std::string>{"q-a-0"});
  CHECK(read->why == "node q-a-1: no");
  remove_journal(folder);
  CHECK_FALSE(Journal::read(folder));
}

TEST_CASE("journal: an invalid one is an error with its path") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir.path(), "quick");
  std::filesystem::create_directories(folder.path());
  write_file(folder.journal(), "{}");
  CHECK_THROWS_AS(Journal::read(folder), Error);
  write_file(folder.journal(), "{\"schema\": \"slipway/local-change/0\"}");
  CHECK_THROWS_WITH(Journal::read(folder), "another version of slipway wrote it");
}

TEST_CASE("journal: a deployment is complete once its plan is in force") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir.path(), "quick");
  std::filesystem::create_directories(folder.path());
  CHECK_FALSE(is_complete(folder));
  put_in_force(plan_of("quick"), folder);
  CHECK(is_complete(folder));
  CHECK(plan_in_force(folder).deployment == "quick");
}
