// Tests of the container plugin's folders, and of giving up root.
#include "spank-plugins/container/places.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/process_stat.h"
#include "spank-plugins/container/as_user.h"
#include "spank-plugins/container/importing.h"
#include "spank-plugins/container/joined_lock.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::container;
namespace fs = std::filesystem;

namespace {

User caller() {
  return {::getuid(), ::getgid(), {}};
}

Importing by_script(const TemporaryDirectory& folder, const std::string& script) {
  slipway::write_file(folder / "importer", "#!/bin/sh\n" + script, 0755);
  return {(folder / "importer").string(), "/run/x", folder / "unused", {{"TOKEN", "t"}}};
}

}  // namespace

TEST_CASE("container places: names of folders cannot be mistaken for each other") {
  CHECK(unnamed_folder({7, 0}) == "step.7.0");
  CHECK(named_folder("train", false, 7) == "name.train");
  CHECK(named_folder("train", true, 7) == "job.7.train");
}

TEST_CASE("container places: only a job's own folders end with it") {
  TemporaryDirectory folder;
  for (const char* name :
       {"step.7.0", "step.7.1", "step.70.0", "job.7.a", "job.70.a", "name.7.0"}) {
    fs::create_directory(folder / name);
  }
  std::vector<std::string> names;
  for (const fs::path& path : folders_of_job(folder.path(), 7)) names.push_back(path.filename());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"job.7.a", "step.7.0", "step.7.1"});
}

TEST_CASE("container places: a container remembers its image, and notices another one") {
  TemporaryDirectory folder;
  CHECK_FALSE(read_made(folder.path()));
  slipway::write_file(folder / "a.sqsh", "image");
  write_made(folder.path(), made_of(folder / "a.sqsh", "./a.sqsh"));
  REQUIRE(read_made(folder.path()));
  CHECK(read_made(folder.path())->asked == "./a.sqsh");
  slipway::write_file(folder / "a.sqsh", "another image");
  CHECK_THROWS_AS(read_made(folder.path()), slipway::Error);
  fs::remove(folder / "a.sqsh");
  CHECK_THROWS_AS(read_made(folder.path()), slipway::Error);
}

TEST_CASE("container places: a running container is the same process as before") {
  TemporaryDirectory folder;
  CHECK_FALSE(read_running(folder.path()));
  const std::string start = slipway::process_stat(::getpid())->start;
  const EnvironmentChanges changes = {{"A", "\xff\n="}, {"LANG", std::nullopt}};
  write_running(folder.path(), {::getpid(), start, "/work", changes});
  REQUIRE(read_running(folder.path()));
  CHECK(read_running(folder.path())->changes == changes);
  CHECK(read_running(folder.path())->workdir == "/work");
  write_running(folder.path(), {::getpid(), "1", "/work", {}});
  CHECK_FALSE(read_running(folder.path()));
}

TEST_CASE("container places: a damaged record is an error, not a guess") {
  TemporaryDirectory folder;
  for (const char* text : {"", "{", "[]", "{\"keeper\": -1}", "{\"keeper\": \"1\"}"}) {
    CAPTURE(text);
    slipway::write_file(folder / "running.json", text);
    slipway::write_file(folder / "made.json", text);
    CHECK_THROWS_AS(read_running(folder.path()), slipway::Error);
    CHECK_THROWS_AS(read_made(folder.path()), slipway::Error);
  }
}

TEST_CASE("container places: a folder that nobody may read is removed") {
  TemporaryDirectory folder;
  fs::create_directories(folder / "x/work/work");
  slipway::write_file(folder / "x/work/work/file", "");
  fs::create_symlink("/etc", folder / "x/link");
  fs::permissions(folder / "x/work/work", fs::perms::none);
  remove_folder(folder / "x");
  CHECK_FALSE(fs::exists(folder / "x"));
  CHECK(fs::exists("/etc/passwd"));
}

TEST_CASE("container places: waiting for a lock ends") {
  TemporaryDirectory folder;
  const slipway::Fd first = lock_file(folder / "lock");
  unlock(first);
  const slipway::Fd second = lock_file(folder / "lock");
  CHECK_FALSE(try_lock(first, std::chrono::milliseconds(1)));
  unlock(second);
  CHECK(try_lock(first, std::chrono::milliseconds(1)));
}

TEST_CASE("container joined: a container ends when the last step that has joined it has left") {
  TemporaryDirectory folder;
  const fs::path file = folder / "joined";
  JoinedLock keeper(file), owner(file), first(file), second(file);
  keeper.begin();
  CHECK_FALSE(owner.has_steps());
  CHECK(first.join());
  CHECK(owner.has_steps());
  CHECK_FALSE(first.leave());  // its own step is still there
  CHECK_FALSE(owner.has_steps());
  CHECK(first.join());
  CHECK(second.join());
  std::thread outlives([&] { keeper.wait_for_steps(); });
  while (fs::file_size(file) == 0) ::usleep(1000);
  CHECK_FALSE(first.leave());
  CHECK(second.leave());
  outlives.join();
  CHECK_FALSE(first.join());  // too late
}

TEST_CASE("container joined: a step that is killed has left") {
  TemporaryDirectory folder;
  const fs::path file = folder / "joined";
  JoinedLock keeper(file);
  keeper.begin();
  {
    JoinedLock step(file);
    REQUIRE(step.join());
    CHECK(keeper.has_steps());
  }
  CHECK_FALSE(keeper.has_steps());
  keeper.wait_for_steps();
  JoinedLock late(file);
  CHECK_FALSE(late.join());
}

TEST_CASE("container user: what fails in the child is the caller's error") {
  CHECK_THROWS_WITH(run_as(caller(), [] { throw slipway::Error("the reason"); }), "the reason");
  CHECK_THROWS_AS(run_as(caller(), [] { ::_exit(3); }), slipway::Error);
  CHECK_NOTHROW(run_as(caller(), [] {}));
}

TEST_CASE("container user: what does not end is killed, and the caller goes on") {
  const auto sleep = [] {
    ::raise(SIGSTOP);
    for (;;) ::pause();
  };
  CHECK_THROWS_WITH(run_as(caller(), sleep, {0, std::chrono::seconds(1)}),
                    "the user's files do not answer within 1 s");
}

TEST_CASE("container user: root is given up for good") {
  if (::geteuid() != 0) return;
  CHECK_NOTHROW(run_as({65534, 65534, {4}}, [] {
    uid_t real = 0, effective = 0, saved = 0;
    ::getresuid(&real, &effective, &saved);
    gid_t group = 0;
    if (real != 65534 || effective != 65534 || saved != 65534) throw slipway::Error("ids");
    if (::getgroups(1, &group) != 1 || group != 4) throw slipway::Error("groups");
    if (::setuid(0) == 0) throw slipway::Error("root again");
  }));
}

TEST_CASE("container import: the administrator's program prints the path") {
  TemporaryDirectory folder;
  const Importing importing =
      by_script(folder, "echo noise >&2; [ \"$1 $TOKEN\" = 'get t' ] && echo \"/x/$2\"\n");
  CHECK(import_image(caller(), importing, "ubuntu") == "/x/docker://ubuntu");
}

TEST_CASE("container import: a failed import shows what the program said") {
  TemporaryDirectory folder;
  CHECK_THROWS_WITH(
      import_image(caller(), by_script(folder, "echo no such image >&2; exit 3\n"), "ubuntu"),
      "cannot import docker://ubuntu: no such image");
  CHECK_THROWS_WITH(
      import_image(caller(), by_script(folder, "echo relative\n"), "ubuntu"),
      (folder / "importer").string() + " did not print the path of the image docker://ubuntu");
}

TEST_CASE("container import: a program that does not end is killed, whatever group it is in") {
  TemporaryDirectory folder;
  const char* const script =
      "[ \"$1\" = release ] || exec sleep 1000\n"
      "exec python3 -c 'import os, time; os.setpgid(0, os.getpgid(os.getppid())); "
      "time.sleep(1000)'\n";
  Importing importing = by_script(folder, script);
  importing.job["PATH"] = "/usr/bin:/bin";
  importing.import_limit = importing.release_limit = std::chrono::seconds(1);
  CHECK_THROWS_WITH(import_image(caller(), importing, "ubuntu"),
                    Catch::Matchers::StartsWith("importing docker://ubuntu takes too long"));
  release_image(caller(), importing);  // comes back
}
