// Tests what `slipway launch` refuses before it starts anything.
#include "launcher/job/launch_checks.h"

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

TEST_CASE("launch checks: a folder of PATH that cannot be searched is passed over, as by a shell") {
  const TemporaryDirectory folder;
  const std::string endless = (folder.path() / "endless").string();
  std::filesystem::create_symlink(endless, endless);
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", (endless + ":/usr/bin:/bin").c_str(), 1);
  CHECK_NOTHROW(job::check_command("sh"));
  CHECK_THROWS_WITH(job::check_command("no-such-program"),
                    "program `no-such-program` not found on this node");
  ::setenv("PATH", before.c_str(), 1);
}
