#include "nccl-tests/memory.h"

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

// A /proc and /sys with 1000 KiB available, and this process in the group /slurm/job_7.
class FakeRoot {
 public:
  FakeRoot() {
    make_directories(root_ / "proc/self");
    write_file(root_ / "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    1000 kB\n");
    write_file(root_ / "proc/self/cgroup", "4:memory:/elsewhere\n0::/slurm/job_7\n");
  }
  void limit(const std::string& group, const std::string& bytes, int64_t used_bytes) {
    const auto folder = root_ / "sys/fs/cgroup" / group;
    make_directories(folder);
    write_file(folder / "memory.max", bytes + "\n");
    write_file(folder / "memory.stat", "anon " + std::to_string(used_bytes) + "\nfile 999999\n");
  }
  const std::filesystem::path& path() const { return root_.path(); }

 private:
  TemporaryDirectory root_;
};

}  // namespace

TEST_CASE("memory: without a limit, it is the kernel's MemAvailable") {
  FakeRoot root;
  CHECK(available_memory_bytes(root.path()) == 1000 * 1024);
  root.limit("slurm/job_7", "max", 300);
  CHECK(available_memory_bytes(root.path()) == 1000 * 1024);
}

TEST_CASE("memory: a job's limit less its use, without the page cache") {
  FakeRoot root;
  root.limit("slurm/job_7", "5000", 300);
  CHECK(available_memory_bytes(root.path()) == 4700);
}

TEST_CASE("memory: the tightest group around the process wins") {
  FakeRoot root;
  root.limit("slurm", "2000", 500);
  root.limit("slurm/job_7", "5000", 300);
  CHECK(available_memory_bytes(root.path()) == 1500);
  root.limit("slurm", "400", 500);
  CHECK(available_memory_bytes(root.path()) == 0);
}

TEST_CASE("memory: a limit above MemAvailable has no effect") {
  FakeRoot root;
  root.limit("slurm/job_7", "999999999999", 0);
  CHECK(available_memory_bytes(root.path()) == 1000 * 1024);
}

TEST_CASE("memory: this machine has some available") {
  CHECK(available_memory_bytes() > 1 << 20);
}
