#include "launcher/node/installed_slurm.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;

TEST_CASE(
    "installed Slurm: has its plugin for PMIx wherever Debian, an RPM or `make install` puts it") {
  const TemporaryDirectory root;
  const std::filesystem::path plugins =
      root / GENERATE("usr/lib/x86_64-linux-gnu/slurm-wlm", "usr/lib/aarch64-linux-gnu/slurm-wlm",
                      "usr/lib64/slurm", "usr/local/lib/slurm");
  CHECK(has_pmix_plugin(root / ""));  // no plugins in any folder that we know
  make_directories(plugins);
  write_file(plugins / "select_cons_tres.so", "");
  CHECK_FALSE(has_pmix_plugin(root / ""));
  write_file(plugins / "mpi_pmix.so", "");
  CHECK(has_pmix_plugin(root / ""));
}
