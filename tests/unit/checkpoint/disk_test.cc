// Tests of steps on disk.
#include "launcher/checkpoint/disk.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::checkpoint;
namespace fs = std::filesystem;

namespace {

bool goes_on() {
  return false;
}

// A folder on disk, and parts of two ranks in memory.
struct Disk {
  TemporaryDirectory folder;
  fs::path disk = folder / "disk";

  std::string content(int64_t step, int64_t rank) const {
    return std::string(piece_bytes + 5, static_cast<char>('a' + rank)) + std::to_string(step);
  }
  std::vector<std::string> write(int64_t step, const std::string& writer = "7.1",
                                 bool publishes = true) {
    std::vector<std::string> digests;
    for (int64_t rank = 0; rank < 2; ++rank) {
      const fs::path memory = folder / ("memory-" + std::to_string(rank));
      fs::remove_all(memory);
      fs::create_directories(memory / "sub");
      write_file(memory / "sub/state", content(step, rank));
      const Manifest manifest = read_step(memory, goes_on);
      write_part({disk, step, writer}, rank, memory, manifest, goes_on);
      digests.push_back(digest_of(manifest));
    }
    if (publishes) publish({disk, step, writer}, digests);
    return digests;
  }
  FoundStep newest(int64_t below = int64_t{1} << 60) const { return newest_on_disk(disk, below); }
  std::string read(int64_t step, int64_t rank, const std::string& digest) {
    fs::remove_all(folder / "back");
    try {
      read_part(
          disk, step, rank, digest, folder / "back", [](int64_t) {}, goes_on);
      return read_file(folder / "back/sub/state") == content(step, rank) ? "" : "other content";
    } catch (const Error& error) {
      return error.what();
    }
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(disk)) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
};

}  // namespace

TEST_CASE("disk: a step comes back unchanged") {
  Disk disk;
  CHECK(disk.newest().step == -1);
  const std::vector<std::string> digests = disk.write(20);
  const FoundStep found = disk.newest();
  CHECK(found.step == 20);
  CHECK(found.digests == digests);
  CHECK(found.job == "7");
  CHECK(found.trouble.empty());
  CHECK(disk.read(20, 0, digests[0]).empty());
  CHECK(disk.read(20, 1, digests[1]).empty());
}

TEST_CASE("disk: only what was published is a step; the rest goes with the next one of its job") {
  Disk disk;
  disk.write(20);
  disk.write(40, "7.1", false);
  disk.write(40, "9.1", false);
  CHECK(disk.newest().step == 20);
  disk.write(60, "7.2");
  CHECK(disk.entries() == std::vector<std::string>{".step-40-9.1", "step-20", "step-60"});
}

TEST_CASE("disk: the two newest steps stay") {
  Disk disk;
  fs::create_directories(disk.disk / "step-1");  // made by hand
  for (const int64_t step : {20, 40, 60, 80}) disk.write(step);
  CHECK(disk.entries() == std::vector<std::string>{"step-1", "step-60", "step-80"});
  CHECK(disk.newest(80).step == 60);
  CHECK(disk.newest(60).step == -1);
}

TEST_CASE("disk: a step that is done again takes the place of the one before") {
  Disk disk;
  disk.write(20, "7.1");
  const std::vector<std::string> digests = disk.write(20, "8.1");
  CHECK(disk.newest().job == "8");
  CHECK(disk.read(20, 1, digests[1]).empty());
}

TEST_CASE("disk: what has changed on disk is not taken") {
  Disk disk;
  const std::vector<std::string> digests = disk.write(20);
  const fs::path step = disk.disk / "step-20";
  CHECK(disk.read(20, 0, digests[1]).ends_with("does not have the digest that was announced"));
  write_file(step / "rank-0/sub/state", disk.content(20, 1));
  CHECK(disk.read(20, 0, digests[0]) == "`sub/state` does not have the digest that was announced");
  write_file(step / "rank-1/sub/state", "short");
  CHECK(disk.read(20, 1, digests[1]) == "`sub/state` has become shorter");
  write_file(step / "rank-1.manifest", "x");
  CHECK(disk.read(20, 1, digests[1]) != "");
}

TEST_CASE("disk: a step whose manifest is damaged gives way to an older one, and is named") {
  Disk disk;
  disk.write(20);
  disk.write(40);
  for (const char* text :
       {"", "{", "{}", R"({"schema":"slipway/checkpoint/1","step":20})",
        R"({"schema":"slipway/checkpoint/1","step":40,"job":"7","ranks":["xy"]})"}) {
    write_file(disk.disk / "step-40/manifest.json", text);
    const FoundStep found = disk.newest();
    CHECK(found.step == 20);
    CHECK(found.trouble.find("step-40/manifest.json: ") != std::string::npos);
  }
}

TEST_CASE("disk: a folder that cannot be written or read is named") {
  Disk disk;
  write_file(disk.disk, "a file");
  CHECK(disk.newest().trouble == "cannot read " + disk.disk.native() + ": Not a directory");
  std::string error;
  try {
    disk.write(20);
  } catch (const Error& caught) {
    error = caught.what();
  }
  CHECK(error.find("Not a directory") != std::string::npos);
}
