// Tests of a node's steps: what counts, what goes first, and what an attempt finds.
#include "launcher/checkpoint/store.h"

#include <sys/stat.h>

#include "common/file.h"
#include "launcher/checkpoint/memory_limit.h"
#include "launcher/checkpoint/renames.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::checkpoint;
namespace fs = std::filesystem;

namespace {

const std::string no_digest(digest_bytes, '\0');
using Names = std::set<std::string>;

std::shared_ptr<const Manifest> read(const fs::path& folder) {
  return std::make_shared<const Manifest>(read_step(folder, [] { return false; }));
}

// A node with the ranks 3 and 4, and room for so many bytes.
struct Node {
  TemporaryDirectory folder;
  Store store;

  explicit Node(int64_t most_bytes) : store(folder.path(), most_bytes) {
    store.begin({1, -1, {{3, no_digest, {}}, {4, no_digest, {}}}});
  }

  fs::path of_rank(int64_t rank) const { return rank_folder(folder.path(), rank); }
  fs::path step(int64_t rank, int64_t step) const {
    return of_rank(rank) / ("step-" + std::to_string(step));
  }
  std::shared_ptr<const Manifest> write(int64_t rank, int64_t number, size_t size = 10) const {
    fs::create_directory(step(rank, number));
    write_file(step(rank, number) / "state", std::string(size, 'x'));
    return read(step(rank, number));
  }
  bool own(int64_t rank, int64_t number, size_t size = 10) {
    return store.add_own(1, rank, number, write(rank, number, size));
  }
  // As if it had arrived. Returns its digest.
  std::string copy(int64_t rank, int64_t number, size_t size = 10, int64_t attempt = 1) {
    const auto arrival = store.arrival();
    arrival->reserve(static_cast<int64_t>(size));
    fs::create_directory(arrival->folder());
    write_file(arrival->folder() / "state", std::string(size, static_cast<char>('a' + rank)));
    const auto manifest = read(arrival->folder());
    store.add_copy(attempt, rank, number, manifest, *arrival);
    return digest_of(*manifest);
  }
  Names names(const fs::path& in) const {
    Names names;
    for (const auto& entry : fs::directory_iterator(in)) names.insert(entry.path().filename());
    return names;
  }
};

}  // namespace

TEST_CASE("store: only our user can enter the folders of ranks") {
  const Node node(1000);
  struct stat info = {};
  REQUIRE(::stat(node.of_rank(3).c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
}

TEST_CASE("store: names of steps are exact") {
  CHECK(step_number("step-0") == 0);
  CHECK(step_number("step-120") == 120);
  for (const char* name : {"step-", "step-01", "step--1", "step-+1", "step-1.tmp", "Step-1",
                           "step-1 ", "step-99999999999999999999", "x"})
    CHECK(!step_number(name));
}

TEST_CASE("store: a step is found by its digest until it is retired") {
  Node node(1000);
  const auto manifest = node.write(3, 20);
  CHECK(node.store.add_own(1, 3, 20, manifest));
  const std::string digest = digest_of(*manifest);
  CHECK(node.store.find(3, 20, digest).folder == node.step(3, 20));
  CHECK(!node.store.has(3, 20, no_digest));
  CHECK(!node.store.has(4, 20, digest));
  CHECK(node.store.used_bytes() == 10);
  // The same in the place of another rank.
  CHECK(node.store.find(4, 20, digest).folder == node.step(3, 20));
  CHECK(!node.store.find(4, 21, digest).manifest);
  CHECK(!node.store.find(3, 20, no_digest).manifest);
  node.store.retire({21, -1});
  CHECK(!node.store.has(3, 20, digest));
  CHECK(node.store.used_bytes() == 0);
  CHECK(node.names(node.of_rank(3)).empty());
  node.store.sweep();
  CHECK(node.names(node.folder / "removed").empty());
}

TEST_CASE("store: retiring leaves the exception and what is newer") {
  Node node(1000);
  for (const int64_t step : {10, 20, 30, 40}) node.own(3, step);
  node.store.retire({30, 10});
  CHECK(node.names(node.of_rank(3)) == Names{"step-10", "step-30", "step-40"});
}

TEST_CASE("store: when the memory does not suffice, the oldest step that nobody needs goes") {
  Node node(35);
  CHECK(node.own(3, 10));
  node.store.retire({10, -1});  // all ranks have it: it is being copied
  CHECK(node.own(3, 20));
  CHECK(node.own(3, 30));
  CHECK(node.own(3, 40));
  CHECK(node.names(node.of_rank(3)) == Names{"step-10", "step-30", "step-40"});
  CHECK(node.store.used_bytes() == 30);
}

TEST_CASE("store: a new step without room goes while another is about to replace an older one") {
  Node node(25);
  CHECK(node.own(3, 10));
  node.store.retire({10, -1});
  CHECK(node.own(3, 20));
  node.store.retire({20, 10});
  CHECK(!node.own(3, 30));
  CHECK(node.names(node.of_rank(3)) == Names{"step-10", "step-20"});
  node.store.retire({20, -1});
  CHECK(node.own(3, 40));
}

TEST_CASE("store: a new step that never fits beside the only one is an error") {
  Node node(15);
  CHECK(node.own(3, 10));
  node.store.retire({10, -1});
  CHECK_THROWS_AS(node.own(3, 20), MemoryFull);
  CHECK(node.names(node.of_rank(3)) == Names{"step-10"});
}

TEST_CASE("store: without room for any step, it says what would be needed") {
  Node node(15);
  std::string error;
  try {
    node.own(3, 10, 16);
  } catch (const MemoryFull& full) {
    error = full.what();
  }
  CHECK(error == "step 10 of rank 3 has 16 bytes, and 0 of 15 are in use");
  CHECK(node.names(node.of_rank(3)).empty());
}

TEST_CASE("store: a copy without room is not taken, and leaves nothing") {
  Node node(25);
  node.own(3, 10);
  node.own(4, 10);
  node.store.retire({10, -1});
  CHECK_THROWS_AS(node.copy(9, 10), MemoryFull);
  CHECK(node.store.used_bytes() == 20);
  CHECK(node.names(node.folder / "arriving").empty());
}

TEST_CASE("store: what arrives too late is not kept") {
  Node node(1000);
  node.store.begin({2, -1, {{3, no_digest, {}}}});
  const std::string digest = node.copy(9, 10);
  CHECK(!node.store.has(9, 10, digest));
  CHECK(node.store.used_bytes() == 0);
  CHECK(!node.own(3, 10));
}

TEST_CASE("store: nothing stays that was on its way when the store was closed") {
  Node node(1000);
  CHECK(node.own(3, 20));
  const auto late = node.write(4, 20);
  node.store.close();
  CHECK(!node.store.add_own(1, 4, 20, late));
  const std::string copied = node.copy(7, 20);
  CHECK(!node.store.has(7, 20, copied));
  CHECK(node.store.used_bytes() == 0);
  for (const int64_t rank : {3, 4}) CHECK(node.names(node.of_rank(rank)).empty());
}

TEST_CASE("store: an attempt finds the wanted step, and nothing else") {
  Node node(1000);
  const auto wanted = node.write(3, 20);
  node.store.add_own(1, 3, 20, wanted);
  node.own(3, 30);
  fs::create_directory(node.of_rank(3) / "step-40.tmp");
  write_file(node.of_rank(3) / "notes", "");
  const std::string copied = node.copy(4, 20);
  // Rank 4 ran here, but its step is that of another node; 9 comes here, 3 stays.
  const std::vector<RestoredRank> missing =
      node.store.begin({2, 20, {{3, digest_of(*wanted), {}}, {9, no_digest, {{"n", 1}}}}});
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].rank == 9);
  CHECK(node.names(node.of_rank(3)) == Names{"step-20"});
  CHECK(node.names(node.of_rank(9)).empty());
  CHECK(!fs::exists(node.of_rank(4)));
  // It stays as a copy, for the node that rank 4 runs on now.
  CHECK(node.store.find(4, 20, copied).folder == node.folder / "copies/4/step-20");
}

TEST_CASE("store: a copy becomes a rank's own when the rank comes to its node") {
  Node node(1000);
  const std::string digest = node.copy(9, 20);
  CHECK(node.store.begin({2, 20, {{9, digest, {}}}}).empty());
  CHECK(read_file(node.step(9, 20) / "state") == std::string(10, 'j'));
  CHECK(node.store.used_bytes() == 10);
}

TEST_CASE("store: a step with another digest than the wanted one goes") {
  Node node(1000);
  node.own(3, 20);
  CHECK(node.store.begin({2, 20, {{3, no_digest, {}}}}).size() == 1);
  CHECK(node.names(node.of_rank(3)).empty());
}

TEST_CASE("store: a keeper that takes over removes the steps, and leaves programs their folders") {
  Node node(1000);
  node.own(3, 20);
  node.copy(9, 20);
  fs::create_directory(node.of_rank(4) / "step-30.tmp");
  Store second(node.folder.path(), 1000);
  const std::vector<int64_t> ranks = second.leftover_ranks();
  CHECK(std::set<int64_t>(ranks.begin(), ranks.end()) == std::set<int64_t>{3, 4});
  CHECK(node.names(node.of_rank(3)).empty());
  CHECK(node.names(node.of_rank(4)) == Names{"step-30.tmp"});
  CHECK(node.names(node.folder / "copies").empty());
}

TEST_CASE("renames: a step is a folder that was renamed from its temporary name") {
  const Node node(1000);
  Renames renames;
  renames.watch(node.folder.path(), {3, 4});
  const auto make = [&](const char* name) { fs::create_directory(node.of_rank(3) / name); };
  const auto move = [&](const char* from, const char* to) {
    fs::rename(node.of_rank(3) / from, node.of_rank(3) / to);
  };
  make("step-1");  // under its final name
  make("step-2.tmp");
  move("step-2.tmp", "step-3");  // of another step
  make("step-4.new");
  move("step-4.new", "step-4");  // from another name
  write_file(node.of_rank(3) / "step-5.tmp", "");
  move("step-5.tmp", "step-5");  // a file
  fs::create_directory_symlink("/etc", node.of_rank(3) / "step-6.tmp");
  move("step-6.tmp", "step-6");  // a link
  fs::create_directory(node.folder / "step-7.tmp");
  fs::rename(node.folder / "step-7.tmp", node.of_rank(3) / "step-7");  // from elsewhere
  make("step-08.tmp");
  move("step-08.tmp", "step-08");  // another name
  CHECK(renames.read().empty());
  make("step-9.tmp");
  move("step-9.tmp", "step-9");
  fs::create_directory(node.of_rank(4) / "step-9.tmp");
  fs::rename(node.of_rank(4) / "step-9.tmp", node.step(4, 9));
  const std::vector<NewStep> steps = renames.read();
  REQUIRE(steps.size() == 2);
  CHECK((steps[0].rank == 3 && steps[0].step == 9));
  CHECK((steps[1].rank == 4 && steps[1].step == 9));
}

TEST_CASE("renames: what earlier tasks did does not count for later ones") {
  const Node node(1000);
  Renames renames;
  renames.watch(node.folder.path(), {3});
  fs::create_directory(node.of_rank(3) / "step-9.tmp");
  fs::rename(node.of_rank(3) / "step-9.tmp", node.step(3, 9));
  renames.watch(node.folder.path(), {3});
  CHECK(renames.read().empty());
}

TEST_CASE("memory limit: sizes are numbers with a letter") {
  CHECK(size_in_bytes("1000") == 1000);
  CHECK(size_in_bytes("64K") == 65536);
  CHECK(size_in_bytes("1M") == 1 << 20);
  CHECK(size_in_bytes("64G") == int64_t{64} << 30);
  CHECK(size_in_bytes("2T") == int64_t{2} << 40);
  for (const char* text : {"", "0", "-1", "G", "1.5G", "1 G", "1g", "1GB", "99999999999T", "x"})
    CHECK(!size_in_bytes(text));
}

TEST_CASE("memory limit: the least limit of the control groups counts") {
  const TemporaryDirectory root;
  for (const char* name : {"proc/self", "sys/fs/cgroup/slurm/job_7/step_0"})
    fs::create_directories(root / name);
  write_file(root / "proc/meminfo", "MemTotal:       1000 kB\nMemFree: 5 kB\n");
  CHECK(memory_of_job(root.path()) == 1'024'000);
  write_file(root / "proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  write_file(root / "sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  CHECK(memory_of_job(root.path()) == 1'024'000);
  write_file(root / "sys/fs/cgroup/slurm/job_7/memory.max", "5000\n");
  CHECK(memory_of_job(root.path()) == 5000);
  CHECK(most_bytes_in("/dev/shm", 5000, root.path()) == 5000);
  CHECK(most_bytes_in("/dev/shm", 0, root.path()) == 1250);
  CHECK_THROWS_WITH(most_bytes_in("/dev/shm", 50000, root.path()),
                    "48.8 KiB are wanted, but the job has 4.88 KiB of memory");
}

TEST_CASE("memory limit: control groups of version 1 count as well") {
  const TemporaryDirectory root;
  for (const char* name : {"proc/self", "sys/fs/cgroup/memory/slurm/uid_0/job_7/step_0"})
    fs::create_directories(root / name);
  write_file(root / "proc/meminfo", "MemTotal:       1000 kB\nMemFree: 5 kB\n");
  write_file(root / "proc/self/cgroup",
             "9:name=systemd:/\n8:cpu,memory:/slurm/uid_0/job_7/step_0\n"
             "7:memoryless:/slurm\n3:cpuset:/slurm/uid_0\n0::/\nx\n");
  const fs::path group = root / "sys/fs/cgroup/memory/slurm/uid_0/job_7";
  write_file(group / "step_0/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(memory_of_job(root.path()) == 1'024'000);
  write_file(group / "memory.limit_in_bytes", "6000\n");
  CHECK(memory_of_job(root.path()) == 6000);
}

TEST_CASE("memory limit: more than a folder has cannot be held") {
  const TemporaryDirectory folder;
  CHECK(most_bytes_in(folder.path(), 5000) == 5000);
  CHECK(most_bytes_in(folder.path(), 0) > 0);
  CHECK_THROWS_AS(most_bytes_in(folder.path(), int64_t{1} << 60), Error);
}
