// Tests of the files in which users leave reports for root: nothing that users do to their own file
// affects others.
#include "launcher/health/report_slots.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "common/fd.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::health;

namespace {

const JobReport left_report = {"12", 3, Cause::unfit, "gpu_ecc", 0};

size_t files_in(const TemporaryDirectory& folder) {
  const std::filesystem::directory_iterator all(folder.path());
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

struct Slots {
  TemporaryDirectory folder;
  const uid_t user = ::geteuid();
  Slots() {
    prepare_slots(folder.path());
    REQUIRE(give_slot(folder.path(), user));
  }

  std::filesystem::path own() const { return folder / std::to_string(user); }
  FoundReports find() const { return find_reports(folder.path()); }
  // What root does in a check.
  size_t take() const {
    const FoundReports found = find();
    empty_slots(folder.path(), found);
    return found.reports.size();
  }
  bool is_whole() const {
    struct stat info = {};
    return ::stat(own().c_str(), &info) == 0 && info.st_size == ::sysconf(_SC_PAGESIZE) &&
           info.st_blocks * 512 >= info.st_size;
  }
  // What a slot's owner may do.
  void overwrite(const std::string& text) const {
    const Fd file(::open(own().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
};

}  // namespace

TEST_CASE("report slots: a user's report is found with the uid, and is gone once it is read") {
  const Slots slots;
  CHECK(files_in(slots.folder) == most_slots + 1);  // and the lock
  CHECK(slots.find().to_empty.empty());
  REQUIRE(leave_report(slots.folder.path(), left_report));
  const FoundReports found = slots.find();
  REQUIRE(found.reports.size() == 1);
  CHECK(found.reports[0].job == "12");
  CHECK(found.reports[0].attempt == 3);
  CHECK(found.reports[0].cause == Cause::unfit);
  CHECK(found.reports[0].detail == "gpu_ecc");
  CHECK(found.reports[0].user == slots.user);
  CHECK(slots.take() == 1);
  CHECK(slots.take() == 0);
  CHECK(slots.is_whole());
  CHECK(files_in(slots.folder) == most_slots + 1);  // and the lock
}

TEST_CASE("report slots: a user's last report wins, even if it is shorter") {
  const Slots slots;
  REQUIRE(leave_report(slots.folder.path(), left_report));
  REQUIRE(leave_report(slots.folder.path(), {"1", 1, Cause::held, ""}));
  REQUIRE(slots.find().reports.size() == 1);
  CHECK(slots.find().reports[0].job == "1");
}

TEST_CASE("report slots: without a folder or a slot, nothing is left or found") {
  CHECK_FALSE(leave_report("/no/such/folder", left_report));
  CHECK_FALSE(give_slot("/no/such/folder", 1));
  CHECK(find_reports("/no/such/folder").reports.empty());
  const TemporaryDirectory folder;
  prepare_slots(folder.path());
  CHECK_FALSE(leave_report(folder.path(), left_report));
  CHECK(find_reports(folder.path()).to_empty.empty());
}

TEST_CASE("report slots: a user who has a slot keeps it, with its content") {
  const Slots slots;
  REQUIRE(leave_report(slots.folder.path(), left_report));
  CHECK(give_slot(slots.folder.path(), slots.user));
  CHECK(slots.take() == 1);
}

TEST_CASE("report slots: whatever its owner does to a slot, root restores it") {
  const Slots slots;
  const std::string text = GENERATE(std::string(), "{", std::string(100'000, 'x'),
                                    std::string(513, ' '), std::string(300, '['));
  slots.overwrite(text);
  CHECK(slots.take() == 0);
  CHECK(slots.is_whole());
  REQUIRE(leave_report(slots.folder.path(), left_report));
  CHECK(slots.take() == 1);
}

TEST_CASE("report slots: a slot without a page, or that nobody may read, is restored too") {
  const Slots slots;
  const Fd file(::open(slots.own().c_str(), O_WRONLY | O_CLOEXEC));
  REQUIRE(::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                      ::sysconf(_SC_PAGESIZE)) == 0);
  CHECK_FALSE(slots.is_whole());
  slots.take();
  CHECK(slots.is_whole());
}

TEST_CASE("report slots: other files in the folder are neither read nor removed") {
  const TemporaryDirectory elsewhere;
  write_file(elsewhere / "secret", to_text(left_report));
  const TemporaryDirectory folder;
  const std::string user = std::to_string(::geteuid());
  const std::string kind = GENERATE("link", "pipe", "folder", "name");
  if (kind == "link") std::filesystem::create_symlink(elsewhere / "secret", folder / user);
  if (kind == "pipe") REQUIRE(::mkfifo((folder / user).c_str(), 0666) == 0);
  if (kind == "folder") std::filesystem::create_directories(folder / user / "a");
  if (kind == "name") write_file(folder / "12-3-4.json", to_text(left_report));
  const FoundReports found = find_reports(folder.path());
  CHECK(found.reports.empty());
  empty_slots(folder.path(), found);
  CHECK(files_in(folder) == 1);
  CHECK(read_file(elsewhere / "secret") == to_text(left_report));
}

TEST_CASE("report slots: a folder that is a link is not used") {
  const Slots slots;
  const TemporaryDirectory links;
  std::filesystem::create_symlink(slots.folder.path(), links / "reports");
  REQUIRE(leave_report(slots.folder.path(), left_report));
  CHECK(find_reports(links / "reports").reports.empty());
}

TEST_CASE("report slots: if users outnumber slots, the oldest slot changes hands") {
  if (::geteuid() != 0) return;  // files of others
  const TemporaryDirectory folder;
  prepare_slots(folder.path());
  for (uid_t user = 1001; user <= 1000 + most_slots; ++user)
    REQUIRE(give_slot(folder.path(), user));
  REQUIRE(give_slot(folder.path(), 2000));
  CHECK(files_in(folder) == most_slots + 1);
  CHECK(std::filesystem::exists(folder / "2000"));
  struct stat info = {};
  REQUIRE(::stat((folder / "2000").c_str(), &info) == 0);
  CHECK(info.st_uid == 2000);
  // A slot with the wrong owner belongs to nobody.
  REQUIRE(::chown((folder / "2000").c_str(), 1001, 1001) == 0);
  write_file(folder / "text", to_text(left_report));
  CHECK(find_reports(folder.path()).reports.empty());
}

TEST_CASE("report slots: reports beyond a check's limit wait for the next check") {
  if (::geteuid() != 0) return;  // files of others
  const TemporaryDirectory folder;
  prepare_slots(folder.path());
  for (uid_t user = 1001; user <= 1006; ++user) {
    REQUIRE(give_slot(folder.path(), user));
    const Fd slot(::open((folder / std::to_string(user)).c_str(), O_WRONLY | O_CLOEXEC));
    const std::string text = to_text(left_report);
    REQUIRE(::pwrite(slot.get(), text.data(), text.size(), 0) > 0);
  }
  const FoundReports found = find_reports(folder.path());
  CHECK(found.reports.size() == 4);
  empty_slots(folder.path(), found);
  CHECK(find_reports(folder.path()).reports.size() == 2);
}

namespace {

// As a node has it: without room for anything but the slots. In a mount namespace of its own.
struct RealSlots {
  TemporaryDirectory folder;
  RealSlots() {
    REQUIRE(::mount("slots", folder.path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
                    slots_mount_options(0755).c_str()) == 0);
    prepare_slots(folder.path());
  }
  ~RealSlots() { ::umount2(folder.path().c_str(), MNT_DETACH); }

  size_t slots() const { return slot_names(open_slots(folder.path())).size(); }
  bool give(int job, uid_t user = 1001) const {
    return assign_slot(folder.path(), std::to_string(job), user, true);
  }
  void release(int job) const { release_slot(folder.path(), std::to_string(job)); }
  Fd hold(int job, int flags) const {
    return Fd(::open((folder / std::to_string(job)).c_str(), flags | O_CLOEXEC));
  }
};

bool may_mount() {
  return ::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

TEST_CASE("job slots: a number of a job that free slots had as names does not cost a slot") {
  if (!may_mount()) return;
  const RealSlots all;
  for (int job = 10; job < 10 + most_slots; ++job) {
    REQUIRE(all.give(job));
    all.release(job);
  }
  CHECK(all.slots() == most_slots);
}

TEST_CASE("job slots: who holds the slots of others open does not use them up") {
  if (!may_mount()) return;
  const RealSlots all;
  std::vector<Fd> held;
  for (int job = 100; job < 200; ++job) {
    REQUIRE(all.give(job));
    held.push_back(all.hold(job, O_RDONLY));
    REQUIRE(held.back());
    all.release(job);
    REQUIRE(all.slots() == most_slots);
  }
}

TEST_CASE("job slots: an owner who holds a slot open cannot write to the next job's") {
  if (!may_mount()) return;
  const RealSlots all;
  REQUIRE(all.give(100, 1001));
  Fd held = all.hold(100, O_RDWR);
  REQUIRE(held);
  all.release(100);
  REQUIRE(all.give(101, 1002));
  for (int job = 102; job < 101 + most_slots - 1; ++job) REQUIRE(all.give(job, 1002));
  REQUIRE(::pwrite(held.get(), "x", 1, 0) == 1);
  for (const std::string& name : slot_names(open_slots(all.folder.path())))
    CHECK(read_slot(Fd(::open((all.folder / name).c_str(), O_RDONLY | O_CLOEXEC))) == "");
  held.reset();
  REQUIRE(all.give(200, 1002));
  CHECK(all.slots() == most_slots);
}

TEST_CASE("job slots: a slot whose room another one took comes back") {
  if (!may_mount()) return;
  const RealSlots all;
  const auto page = static_cast<off_t>(::sysconf(_SC_PAGESIZE));
  REQUIRE(all.give(100));
  REQUIRE(all.give(101));
  REQUIRE(::ftruncate(all.hold(100, O_RDWR).get(), 0) == 0);
  REQUIRE(::fallocate(all.hold(101, O_RDWR).get(), 0, 0, 2 * page) == 0);
  all.release(100);
  all.release(101);
  REQUIRE(all.give(102));
  CHECK(all.slots() == most_slots);
}
