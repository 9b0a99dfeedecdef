// Tests of copies that are written over the files of copies before them.
#include "launcher/checkpoint/old_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "common/fd.h"
#include "common/file.h"
#include "launcher/checkpoint/memory_limit.h"
#include "launcher/checkpoint/store.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::checkpoint;
namespace fs = std::filesystem;

namespace {

constexpr int64_t mib = int64_t{1} << 20;
constexpr int64_t copied_rank = 9;
const std::string unknown_digest(digest_bytes, '\0');

ino_t inode_of(const fs::path& file) {
  struct stat info = {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  return info.st_ino;
}

size_t entries_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// Other file systems may not know at once how much memory a file has.
struct MemoryFolder {
  std::string path = memory_folder() / "slipway-test.XXXXXX";
  MemoryFolder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~MemoryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  fs::path operator/(const fs::path& name) const { return path / name; }
};

// A node that holds copies of the steps of a rank elsewhere.
struct Holder {
  MemoryFolder folder;
  Store store;

  explicit Holder(int64_t most_bytes = 100 * mib) : store(folder / "root", most_bytes) {
    begin(-1);
  }

  // Rank 3 is here, and those in `more`.
  std::vector<RestoredRank> begin(int64_t step, const std::vector<RestoredRank>& more = {}) {
    Restore order = {++attempt, step, {{3, unknown_digest, {}}}};
    order.ranks.insert(order.ranks.end(), more.begin(), more.end());
    return store.begin(order);
  }

  static std::string content(int64_t step, int64_t size) {
    std::string text;
    while (static_cast<int64_t>(text.size()) < size)
      text += std::to_string(step) + "," + std::to_string(text.size()) + std::string(999, ';');
    return text.substr(0, static_cast<size_t>(size));
  }
  fs::path file(int64_t step) const {
    return folder / "root/copies" / std::to_string(copied_rank) / ("step-" + std::to_string(step)) /
           "sub/state";
  }
  fs::path old() const { return folder / "root/old"; }

  // A step with one large file and a small one arrives. Returns its digest.
  std::string copy(int64_t step, int64_t size) {
    const fs::path from = folder / "from";
    fs::remove_all(from);
    fs::create_directories(from / "sub");
    write_file(from / "sub/state", content(step, size));
    write_file(from / "sub/name", "small");
    const auto manifest = std::make_shared<const Manifest>(read_step(from, [] { return false; }));
    const auto arrival = store.arrival();
    StepReader reader(from, *manifest);
    StepWriter writer(arrival->folder(), *manifest, Durable::no, arrival->reserve(*manifest));
    while (const auto piece = reader.next()) {
      std::string bytes;
      read_piece(*piece, bytes);
      std::memcpy(writer.room(), bytes.data(), bytes.size());
      writer.put_piece();
    }
    REQUIRE(writer.complete());
    store.add_copy(attempt, copied_rank, step, manifest, *arrival);
    CHECK((read_file(file(step)) == content(step, size)));
    return digest_of(*manifest);
  }
  void retire_below(int64_t step) {
    store.retire({step, -1});
    store.sweep();
  }
  // A copy, and then its file when the copy is no longer needed.
  ino_t copy_and_retire(int64_t step, int64_t size) {
    copy(step, size);
    const ino_t inode = inode_of(file(step));
    retire_below(step + 1);
    return inode;
  }

  int64_t attempt = 0;
};

}  // namespace

TEST_CASE("old files: a copy is written over an old one") {
  Holder node;
  const int64_t size = 3 * mib + 5;
  const ino_t first = node.copy_and_retire(10, size);
  CHECK(node.store.used_bytes() == size);  // without the small file
  node.copy(20, size);
  CHECK(inode_of(node.file(20)) == first);
  CHECK(node.store.used_bytes() == size + 5);
  CHECK(entries_in(node.old()) == 0);
  // The next one has to wait for a file.
  node.copy(30, size);
  CHECK(inode_of(node.file(30)) != first);
}

TEST_CASE("old files: a copy may be longer or shorter than the one before") {
  for (const int64_t size : {3 * mib, 3 * mib + 1, 4 * mib, 4 * mib + 7, 5 * mib - 1, 6 * mib}) {
    Holder node;
    const ino_t first = node.copy_and_retire(10, 4 * mib);
    node.copy(20, size);
    CHECK(inode_of(node.file(20)) == first);
    CHECK(node.store.used_bytes() == size + 5);
  }
  for (const int64_t size : {2 * mib, 9 * mib}) {  // too different
    Holder node;
    node.copy_and_retire(10, 4 * mib);
    node.copy(20, size);
    CHECK(entries_in(node.old()) == 1);
    CHECK(node.store.used_bytes() == 4 * mib + size + 5);
  }
}

TEST_CASE("old files: a file that a program has seen is never written over") {
  Holder node;
  const std::string digest = node.copy(10, 2 * mib);
  const RestoredRank comes = {copied_rank, digest, {}};
  CHECK(node.begin(10, {comes}).size() == 1);  // rank 3 has no step
  const Fd open(
      ::open((rank_folder(node.folder / "root", copied_rank) / "step-10/sub/state").c_str(),
             O_RDONLY | O_CLOEXEC));
  REQUIRE(open);
  node.begin(10);  // the rank goes elsewhere, and its step is a copy again
  CHECK(fs::exists(node.file(10)));
  node.retire_below(11);
  CHECK(entries_in(node.old()) == 0);
  CHECK(node.store.used_bytes() == 0);
  node.copy(20, 2 * mib);
  std::string bytes(2 * mib, '\0');
  REQUIRE(::pread(open.get(), bytes.data(), bytes.size(), 0) == 2 * mib);
  CHECK((bytes == Holder::content(10, 2 * mib)));
}

TEST_CASE("old files: a file that is open, mapped or linked elsewhere is not written over") {
  const auto check = [](Holder& node, const char* what, const std::function<std::string()>& look) {
    INFO(what);
    CHECK(entries_in(node.old()) == 1);
    node.copy(20, 2 * mib);
    CHECK((look() == Holder::content(10, 2 * mib)));
    CHECK(entries_in(node.old()) == 0);
  };
  const auto copy = [](Holder& node) {
    node.copy(10, 2 * mib);
    Fd file(::open(node.file(10).c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(file);
    return file;
  };
  {
    Holder node;
    const Fd file = copy(node);
    node.retire_below(11);
    check(node, "open", [&] {
      std::string bytes(2 * mib, '\0');
      return ::pread(file.get(), bytes.data(), bytes.size(), 0) == 2 * mib ? bytes : "";
    });
  }
  {
    Holder node;
    Fd file = copy(node);
    const void* memory = ::mmap(nullptr, 2 * mib, PROT_READ, MAP_SHARED, file.get(), 0);
    REQUIRE(memory != MAP_FAILED);
    file.reset();
    node.retire_below(11);
    check(node, "mapped", [&] { return std::string(static_cast<const char*>(memory), 2 * mib); });
    ::munmap(const_cast<void*>(memory), 2 * mib);
  }
  Holder node;
  copy(node);
  fs::create_hard_link(node.file(10), node.folder / "link");
  node.retire_below(11);
  check(node, "linked", [&] { return read_file(node.folder / "link"); });
}

TEST_CASE("old files: one with another size than its copy had is not used") {
  Holder node;
  node.copy_and_retire(10, 2 * mib);
  const fs::path old = fs::directory_iterator(node.old())->path();
  fs::resize_file(old, 0);  // its memory is gone, and then its size is right again
  fs::resize_file(old, 2 * mib);
  node.copy(20, 2 * mib);
  CHECK(node.store.used_bytes() == 2 * mib + 5);
  CHECK(entries_in(node.old()) == 0);
}

TEST_CASE("old files: they go before any step when the memory does not suffice") {
  Holder node(10 * mib);
  node.copy_and_retire(10, 6 * mib);
  CHECK(node.store.used_bytes() == 6 * mib);
  node.copy(20, 2 * mib);
  CHECK(entries_in(node.old()) == 1);
  node.copy(30, 3 * mib);
  CHECK(entries_in(node.old()) == 0);
  CHECK(entries_in(node.folder / "root/removed") == 0);
  CHECK(fs::exists(node.file(20)));
  CHECK(node.store.used_bytes() == 5 * mib + 10);
  node.retire_below(31);
  CHECK(node.store.used_bytes() == 5 * mib);
  CHECK(node.store.give_up_old_files());
  CHECK(!node.store.give_up_old_files());
  CHECK(node.store.used_bytes() == 0);
  CHECK(entries_in(node.folder / "root/removed") == 0);
}

TEST_CASE("old files: a copy that fails gives up the old files that it took") {
  Holder node(5 * mib);
  node.copy_and_retire(10, 3 * mib);
  {
    const auto arrival = node.store.arrival();
    CHECK_THROWS_AS(arrival->reserve(Manifest{{}, {{"a", 3 * mib, ""}, {"b", 3 * mib, ""}}}),
                    MemoryFull);
  }
  CHECK(node.store.used_bytes() == 0);
  CHECK(entries_in(node.folder / "root/arriving") == 0);
  CHECK(entries_in(node.folder / "root/removed") == 0);
}

TEST_CASE("old files: they go when the feature turns off, and when a keeper takes over") {
  Holder node;
  node.copy_and_retire(10, 3 * mib);
  Store second(node.folder / "root", 100 * mib);
  second.leftover_ranks();
  CHECK(entries_in(node.old()) == 0);
  node.copy_and_retire(20, 3 * mib);
  node.store.close();
  CHECK(entries_in(node.old()) == 0);
  CHECK(node.store.used_bytes() == 0);
}
