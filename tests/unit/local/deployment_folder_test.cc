#include "launcher/local/deployment_folder.h"

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::local;

TEST_CASE("deployment folder: absent, running while the lock is held, then dead") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir / "deployments", "quick");
  CHECK(folder.run_state() == RunState::absent);
  Fd lock = folder.create();
  CHECK(folder.run_state() == RunState::running);
  lock.reset();
  CHECK(folder.run_state() == RunState::dead);
}

TEST_CASE("deployment folder: is created once") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir.path(), "quick");
  const Fd first = folder.create();
  CHECK(first);
  CHECK_FALSE(folder.create());
  CHECK(folder.run_state() == RunState::running);
}

TEST_CASE("deployment folder: a name cannot lead outside it") {
  for (const char* name : {"", "..", "a/b", "-x", "A", "a b", "\xc3\xbc"}) {
    INFO(name);
    CHECK_THROWS_AS(DeploymentFolder("/x", name), Error);
  }
}

TEST_CASE("deployment folder: reports the path if it cannot be created") {
  const DeploymentFolder folder("/proc/nowhere", "quick");
  CHECK_THROWS_WITH(folder.create(),
                    "cannot make directory /proc/nowhere: No such file or directory");
}
