// Tests of what `slipway launch --nccl-watch` says where it cannot record.
#include "launcher/job/job_watch.h"

#include <cstdlib>

#include "tests/unit/catch.h"

using namespace slipway::job;

namespace {

// Of this process while it exists.
class OwnVariable {
 public:
  OwnVariable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  OwnVariable(const OwnVariable&) = delete;
  OwnVariable& operator=(const OwnVariable&) = delete;
  ~OwnVariable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

std::string warning() {
  return inspector_warning(inspector_variables());
}

}  // namespace

TEST_CASE("launch --nccl-watch: the user's own profiler plugin stays, and a warning says so") {
  CHECK(warning().empty());
  const OwnVariable own("NCCL_PROFILER_PLUGIN", "mine");
  CHECK(!inspector_variables().contains("NCCL_PROFILER_PLUGIN"));
  CHECK(warning() ==
        "--nccl-watch records nothing: your own NCCL_PROFILER_PLUGIN is `mine`; stragglers are "
        "found only if it writes files as NVIDIA's inspector does");
}

TEST_CASE("launch --nccl-watch: no warning for NVIDIA's inspector and sbatch --nccl-watch") {
  const OwnVariable enabled("NCCL_INSPECTOR_ENABLE", "1");
  for (const char* plugin : {"inspector", "/opt/nccl/libnccl-profiler-inspector.so",
                             "/opt/slipway/lib/slipway/nccl/libnccl-profiler-slipway.so"}) {
    const OwnVariable own("NCCL_PROFILER_PLUGIN", plugin);
    CHECK(warning().empty());
  }
}

TEST_CASE("launch --nccl-watch: a recording that is turned off is reported") {
  const OwnVariable off("NCCL_INSPECTOR_ENABLE", "0");
  CHECK(warning() == "--nccl-watch records nothing: your own NCCL_INSPECTOR_ENABLE is `0`");
}

TEST_CASE(
    "launch --nccl-watch: lines that nobody understands are reported once, with their number") {
  LaunchOptions options;
  options.nccl_watch = true;
  JobWatch watch(options);
  watch.begin({"n1", "n2"}, 1);
  CHECK(watch.news().empty());
  watch.handle("n1", Watched{1, 0, {}, {}, {3, "`rma_perf` of format v5.0"}});
  watch.handle("n2", Watched{1, 0, {}, {}, {2, "`gin_perf` of format v5.0"}});
  CHECK(watch.news() ==
        "5 lines of NCCL's plugin are left out so far, as Slipway does not understand them: the "
        "first is `rma_perf` of format v5.0");
  watch.handle("n2", Watched{1, 0, {}, {}, {2, "`gin_perf` of format v5.0"}});
  CHECK(watch.news().empty());
}
