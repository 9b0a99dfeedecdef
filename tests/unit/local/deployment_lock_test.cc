#include "launcher/local/deployment_lock.h"

#include <unistd.h>

#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::local;
using Catch::Matchers::StartsWith;

TEST_CASE("deployment lock: the second command learns who holds it") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir / "deployments", "quick");
  const DeploymentLock first(folder, "deploy");
  CHECK_THROWS_WITH(DeploymentLock(folder, "destroy"),
                    StartsWith("deployment `quick` is being changed by `slipway deploy` (process " +
                               std::to_string(::getpid()) + ", for "));
}

TEST_CASE("deployment lock: outlives the deployment's folder, and other names have their own") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir / "deployments", "quick");
  const DeploymentLock first(folder, "destroy");
  std::filesystem::remove_all(folder.path());
  CHECK_THROWS_AS(DeploymentLock(folder, "deploy"), Error);
  CHECK_NOTHROW(DeploymentLock(DeploymentFolder(dir / "deployments", "other"), "deploy"));
}

TEST_CASE("deployment lock: waits for short commands") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir / "deployments", "quick");
  auto first = std::make_unique<DeploymentLock>(folder, "fault");
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    first.reset();
  });
  CHECK_NOTHROW(DeploymentLock(folder, "deploy"));
  ends.join();
}

TEST_CASE("deployment lock: waits for a change whose command is gone, and reports it once") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir / "deployments", "quick");
  auto first = std::make_unique<DeploymentLock>(folder, "deploy");
  record_interruption(first->file());
  int told = 0;
  const DeploymentLock second(folder, "destroy", [&] {
    ++told;
    first.reset();
  });
  CHECK(told == 1);
}

TEST_CASE("deployment lock: what a killed command recorded does not hold the lock") {
  TemporaryDirectory dir;
  const DeploymentFolder folder(dir / "deployments", "quick");
  std::filesystem::create_directories(dir / "locks");
  write_file(dir / "locks/quick", "deploy 1 1\n");
  CHECK_NOTHROW(DeploymentLock(folder, "destroy"));
}
