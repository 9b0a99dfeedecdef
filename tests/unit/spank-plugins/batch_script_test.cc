// Tests of taking the batch script away from its user.
#include "spank-plugins/node_health/batch_script.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node_health;

namespace {

namespace fs = std::filesystem;

constexpr uid_t user = 65534;
constexpr gid_t group = 65533;

// As slurmstepd leaves it.
struct Spool {
  Spool() {
    fs::permissions(folder.path(), fs::perms(0711));
    make_directories(script.parent_path());
    fs::permissions(script.parent_path(), fs::perms(0750));
    write_file(script, "#!/bin/sh\necho secret\n", 0500);
    REQUIRE(::chown(script.parent_path().c_str(), 0, group) == 0);
    REQUIRE(::chown(script.c_str(), user, static_cast<gid_t>(-1)) == 0);
  }
  TemporaryDirectory folder;
  fs::path script = folder / "job00007/slurm_script";
};

ProcessResult as(uid_t who, const std::string& command) {
  return run_process({"/usr/bin/setpriv", fmt::format("--reuid={}", who),
                      fmt::format("--regid={}", group), "--clear-groups", "/bin/sh", "-c",
                      command});
}

}  // namespace

TEST_CASE(
    "batch script: its user runs it and cannot change it, others of the group cannot read it") {
  if (::geteuid() != 0) {
    const TemporaryDirectory folder;
    write_file(folder / "slurm_script", "");
    CHECK_THROWS_WITH(keep_batch_script(folder / "slurm_script", ::geteuid()),
                      ContainsSubstring("not permitted"));
    return;
  }
  const Spool spool;
  const std::string path = spool.script.string();
  REQUIRE(as(user, "chmod u+w " + path + " && echo more >>" + path).ok());
  keep_batch_script(spool.script, user);
  CHECK(as(user, path).output == "secret\n");
  CHECK(as(user, "cat " + path).ok());
  CHECK_FALSE(as(user, "echo more >>" + path).ok());
  CHECK_FALSE(as(user, "chmod u+w " + path).ok());
  CHECK_FALSE(as(user, "rm -f " + path).ok());
  CHECK_FALSE(as(user + 2, "cat " + path).ok());
}

TEST_CASE("batch script: what is not a file of the job's user is refused") {
  const TemporaryDirectory folder;
  const fs::path script = folder / "slurm_script";
  CHECK_THROWS_WITH(keep_batch_script(script, user), ContainsSubstring("No such file"));
  fs::create_symlink("/etc/passwd", script);
  CHECK_THROWS_WITH(keep_batch_script(script, user), ContainsSubstring("symbolic links"));
  fs::remove(script);
  write_file(script, "");
  CHECK_THROWS_WITH(keep_batch_script(script, ::geteuid() + 1), ContainsSubstring("is not a batch"));
  fs::create_hard_link(script, folder / "other");
  CHECK_THROWS_WITH(keep_batch_script(script, ::geteuid()), ContainsSubstring("is not a batch"));
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(keep_batch_script(folder / "fifo", ::geteuid()),
                    ContainsSubstring("is not a batch"));
}
