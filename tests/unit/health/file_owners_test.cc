#include "launcher/health/file_owners.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::health;
using namespace std::chrono_literals;

namespace {

// A user: ourselves or, as root, a user who can be given files.
const uid_t user = ::geteuid() == 0 ? 1234 : ::geteuid();
constexpr uint64_t all = ~uint64_t{0};

void give(const std::filesystem::path& path) {
  if (::geteuid() == 0) REQUIRE(::lchown(path.c_str(), user, 0) == 0);
}

struct Places {
  TemporaryDirectory folder;
  std::filesystem::path tmp = folder / "tmp", home = folder / "home", proc = folder / "proc";
  Places() {
    for (const auto& place : {tmp, home, proc}) make_directories(place);
  }
  void file(const std::filesystem::path& path, size_t bytes) const {
    make_directories(path.parent_path());
    write_file(path, std::string(bytes, 'x'));
    give(path);
  }
  FileOwners count(Missing missing = {all, all}, std::chrono::milliseconds deadline = 30s) const {
    return owners_of_files(folder.path(), {tmp, home, folder / "none"}, proc, missing, deadline);
  }
  // The user's files, not counting folders that an ordinary user who runs this test owns.
  uint64_t files() const { return count().users[user].inodes; }
};

}  // namespace

TEST_CASE("file owners: package accounts are not ordinary users, those of user namespaces are") {
  for (const uid_t uid : {0U, 100U, 999U, 64030U, 64999U}) CHECK_FALSE(is_ordinary_user(uid));
  for (const uid_t uid : {1000U, 59999U, 65534U, 100000U, 2000000000U}) {
    CHECK(is_ordinary_user(uid));
  }
}

TEST_CASE("file owners: files count for their owner, whatever their name and place") {
  const Places places;
  const uint64_t before = places.files();
  places.file(places.tmp / "a", 1 << 20);
  places.file(places.home / "x/y/\n: root has", 1 << 20);
  places.file(places.folder.path() / "other/b", 1 << 20);  // no folder of users'
  const uint64_t folders = ::geteuid() == 0 ? 0 : 2;       // x and x/y
  const FileOwners owners = places.count();
  CHECK(owners.is_whole);
  CHECK(owners.users.at(user).inodes - before == 2 + folders);
  CHECK(owners.users.at(user).bytes >> 20 == 2);
  CHECK(words_of(owners).find("\n") == std::string::npos);
}

TEST_CASE("file owners: a file with two names counts once, links are not followed") {
  const Places places;
  places.file(places.folder.path() / "other/b", 1 << 20);
  const uint64_t before = places.files();
  places.file(places.tmp / "a", 1 << 20);
  std::filesystem::create_hard_link(places.tmp / "a", places.tmp / "b");
  CHECK(places.files() - before == 1);
  std::filesystem::create_directory_symlink(places.folder / "other", places.tmp / "c");
  give(places.tmp / "c");
  CHECK(places.files() - before == 2);  // the link itself
}

TEST_CASE("file owners: a removed file that is still open counts") {
  const Places places;
  const auto path = places.folder.path() / "unnamed";
  places.file(path, 1 << 20);
  const Fd open(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::filesystem::remove(path);
  make_directories(places.proc / "17/fd");
  // As in /proc: a link that leads to the open file itself.
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(open.get()),
                                  places.proc / "17/fd/3");
  CHECK(places.count().users[user].bytes >> 20 == 1);
}

TEST_CASE("file owners: counting stops when the missing space is explained, or at the deadline") {
  const Places places;
  for (int i = 0; i < 300; ++i) places.file(places.tmp / std::to_string(i), 0);
  const FileOwners some = places.count({0, 10});
  CHECK(some.is_whole);
  CHECK(some.users.at(user).inodes >= 10);
  CHECK(some.users.at(user).inodes < 50);
  CHECK_FALSE(places.count({all, all}, -1ms).is_whole);
}

TEST_CASE("file owners: a tree that is too deep is left, and reported as incomplete") {
  const Places places;
  auto path = places.tmp;
  for (int i = 0; i < 100; ++i) path /= "d";
  make_directories(path);
  CHECK_FALSE(places.count().is_whole);
}

TEST_CASE("file owners: the three largest users are named by uid") {
  FileOwners owners;
  owners.users[1001] = {9 << 20, 3};
  owners.users[1000] = {12 << 20, 3200};
  owners.users[1002] = {0, 70};
  owners.users[1003] = {0, 71};
  CHECK(words_of(owners) ==
        "uid 1000 has 3200 files and 12 MiB, uid 1001 has 3 files and 9 MiB, uid 1003 has 71 files "
        "and 0 MiB");
}
