#include "launcher/local/host_mounts.h"

#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::local;
using Paths = std::vector<std::filesystem::path>;

TEST_CASE("host mounts: mount points are the fifth field, unescaped") {
  const std::string text =
      "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "23 22 0:5 / /mnt/two\\040words rw shared:2 - tmpfs tmpfs rw\n";
  CHECK(mount_points(text) == Paths{"/", "/mnt/two words"});
}

TEST_CASE("host mounts: a folder's own mount is not below it, nor is one with a longer name") {
  const Paths mounts = {"/", "/proc", "/var/lib/docker", "/optional"};
  CHECK(has_mounts_below(mounts, "/"));
  CHECK(has_mounts_below(mounts, "/var"));
  CHECK(has_mounts_below(mounts, "/var/lib"));
  CHECK_FALSE(has_mounts_below(mounts, "/var/lib/docker"));
  CHECK_FALSE(has_mounts_below(mounts, "/opt"));
}

TEST_CASE("resolve_in: links stay below the root, including absolute ones and ..") {
  TemporaryDirectory root;
  std::filesystem::create_directories(root / "data/home");
  std::filesystem::create_directory_symlink("/data/home", root / "home");
  std::filesystem::create_directory_symlink("../../../home", root / "data/up");
  CHECK(resolve_in(root.path(), "/home/alice") == "data/home/alice");
  CHECK(resolve_in(root.path(), "/data/up/alice") == "data/home/alice");
  CHECK(resolve_in(root.path(), "/../none/./x") == "none/x");
}

TEST_CASE("resolve_in: circular links are an error") {
  TemporaryDirectory root;
  std::filesystem::create_symlink("b", root / "a");
  std::filesystem::create_symlink("a", root / "b");
  CHECK_THROWS_WITH(resolve_in(root.path(), "/a"), "/a goes through too many symbolic links");
}
