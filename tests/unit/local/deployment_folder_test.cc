#include "launcher/local/deployment_folder.h"

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::local;

TEST_CASE("deployment folder: absent, running while the lock is held, dead afterwards") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir / "deployments", "quick");
  CHECK(folder.run_state() == RunState::absent);
  Fd lock = folder.create();
  CHECK(folder.run_state() == RunState::running);
  lock.reset();
  CHECK(folder.run_state() == RunState::dead);
}

TEST_CASE("deployment folder: is made once") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir.path(), "quick");
  const Fd first = folder.create();
  CHECK(first);
  CHECK_FALSE(folder.create());
  CHECK(folder.run_state() == RunState::running);
}

TEST_CASE("deployment folder: a name cannot lead out of it") {
  for (const char* name : {"", "..", "a/b", "-x", "A", "a b", "\xc3\xbc"}) {
    INFO(name);
    CHECK_THROWS_AS(DeploymentFolder("/x", name), Error);
  }
}

TEST_CASE("deployment folder: one that cannot be made is an error with its path") {
  const DeploymentFolder folder("/proc/nowhere", "quick");
  CHECK_THROWS_WITH(folder.create(),
                    "cannot make directory /proc/nowhere: No such file or directory");
}
