#include "launcher/node/job_space.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;

namespace {

constexpr const char* ours = "# A comment.\nAutoBasePath=true\nBasePath=/var/lib/slipway/jobs\n";

}  // namespace

TEST_CASE("job space: its folder is the one in job_container.conf") {
  CHECK(job_space_in(ours) == "/var/lib/slipway/jobs");
  CHECK(job_space_in("BasePath=/mnt/ssd Dirs=/tmp\n").has_value());
  CHECK_FALSE(job_space_in("# BasePath=/x\n").has_value());
}

TEST_CASE("job space: only a Slurm that supports more folders gets /var/tmp") {
  CHECK(job_container_conf_for(ours, {22, 5, 8}) == ours);
  CHECK(job_container_conf_for(ours, {}) == ours);
  for (const SlurmVersion& version :
       {SlurmVersion{23, 2, 0}, SlurmVersion{24, 11, 5}, SlurmVersion{26, 5, 2}}) {
    CHECK(job_container_conf_for(ours, version) ==
          "# A comment.\nAutoBasePath=true\nBasePath=/var/lib/slipway/jobs "
          "Dirs=/tmp,/var/tmp,/dev/shm\n");
  }
  const std::string once = job_container_conf_for(ours, {24, 11, 5});
  CHECK(job_container_conf_for(once, {24, 11, 5}) == once);
  CHECK(job_space_in(once) == "/var/lib/slipway/jobs");
}

TEST_CASE("job space: a job runs here if root has a slurmstepd with its number") {
  const std::string zero(1, '\0');
  CHECK(jobs_with_a_slurmstepd({"slurmstepd: [12.extern]" + zero, "slurmstepd: [7.0]",
                                "/usr/sbin/slurmd" + zero + "-D" + zero, "",
                                "x slurmstepd: [9.0]"}) == std::set<std::string>{"12", "7"});
}

TEST_CASE("job space: removes leftovers of ended jobs, however deep, and nothing else") {
  const TemporaryDirectory folder;
  for (const char* name : {"999999901", "node/999999902", "node/keep", "12x"}) {
    make_directories(folder / name / "below");
  }
  write_file(folder / "file", "");
  // Longer than any path can be, and deeper than a process can have files open.
  Fd at(::open((folder / "999999901").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(::mkdirat(at.get(), "deep", 0700) == 0);
    at = Fd(::openat(at.get(), "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  CHECK(sweep_job_space(folder.path(), 30s) == std::vector<std::string>{"999999901", "999999902"});
  CHECK_FALSE(std::filesystem::exists(folder / "999999901"));
  CHECK(std::filesystem::exists(folder / "node/keep/below"));
  CHECK(std::filesystem::exists(folder / "12x/below"));
  CHECK(std::filesystem::exists(folder / "file"));
}

TEST_CASE("job space: does not follow links, and a missing folder has nothing to sweep") {
  const TemporaryDirectory folder;
  make_directories(folder / "elsewhere/kept");
  make_directories(folder / "jobs");
  std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "jobs/999999903");
  CHECK(sweep_job_space(folder / "jobs", 30s).empty());
  CHECK(sweep_job_space(folder / "none", 30s).empty());
  CHECK(std::filesystem::exists(folder / "elsewhere/kept"));
}

TEST_CASE("job space: the jobs' disk is preallocated, and is ext4") {
  const TemporaryDirectory folder;
  const auto file = folder / "jobs.ext4";
  write_file(file, "what was there before");
  constexpr uint64_t bytes = 16 << 20;
  make_job_disk(file, bytes);
  struct stat info = {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  CHECK(static_cast<uint64_t>(info.st_size) == bytes);
  CHECK(static_cast<uint64_t>(info.st_blocks) * 512 >= bytes * 9 / 10);  // mkfs can discard some
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(read_file(file).substr(1024 + 56, 2) == "\x53\xef");  // ext4's magic number
  CHECK_THROWS_WITH(make_job_disk(folder / "large", uint64_t{1} << 60),
                    Catch::Matchers::StartsWith("cannot reserve "));
  CHECK_FALSE(std::filesystem::exists(folder / "large"));
}
