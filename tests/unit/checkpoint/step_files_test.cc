// Tests of reading and writing the files of a step.
#include "launcher/checkpoint/step_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::checkpoint;
namespace fs = std::filesystem;

namespace {

bool wanted() {
  return false;
}

std::string error_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string manifest_error(const Manifest& manifest) {
  return error_of([&] { check_manifest(manifest); });
}

std::string big_text() {
  std::string text;
  for (int i = 0; text.size() < 2 * piece_bytes + 5; ++i) text += std::to_string(i);
  return text.substr(0, 2 * piece_bytes + 5);
}

// A step with files of several pieces, of exactly one, and without any.
void write_step(const fs::path& folder) {
  fs::create_directories(folder / "shards/deep");
  write_file(folder / "shards/deep/big", big_text());
  write_file(folder / "one", std::string(piece_bytes, '1'));
  write_file(folder / "none", "");
  write_file(folder / ".metadata", "m");
}

std::vector<std::string> pieces_of(const fs::path& folder, const Manifest& manifest) {
  std::vector<std::string> pieces;
  StepReader reader(folder, manifest);
  while (const auto piece = reader.next()) {
    read_piece(*piece, pieces.emplace_back());
  }
  return pieces;
}

}  // namespace

TEST_CASE("step files: a step arrives unchanged") {
  const TemporaryDirectory folder;
  write_step(folder / "from");
  const Manifest manifest = read_step(folder / "from", wanted);
  CHECK(manifest.folders == std::vector<std::string>{"shards", "shards/deep"});
  CHECK(manifest.files.size() == 4);
  CHECK(size_of(manifest) == static_cast<int64_t>(3 * piece_bytes + 6));
  StepWriter writer(folder / "to", manifest);
  for (const std::string& piece : pieces_of(folder / "from", manifest)) {
    CHECK(!writer.complete());
    writer.take(piece);
  }
  CHECK(writer.complete());
  CHECK(digest_of(read_step(folder / "to", wanted)) == digest_of(manifest));
  CHECK(read_file(folder / "to/shards/deep/big") == big_text());
  struct stat info = {};
  REQUIRE(::stat((folder / "to/one").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("step files: an empty step is a step") {
  const TemporaryDirectory folder;
  fs::create_directory(folder / "from");
  const Manifest manifest = read_step(folder / "from", wanted);
  const StepWriter writer(folder / "to", manifest);
  CHECK(writer.complete());
}

TEST_CASE("step files: links, pipes and sockets are not part of a step") {
  const TemporaryDirectory folder;
  const auto error = [&] { return error_of([&] { read_step(folder / "step", wanted); }); };
  fs::create_directories(folder / "step/sub");
  fs::create_symlink("/etc/passwd", folder / "step/sub/link");
  CHECK(error() == "`sub/link` is a symbolic link, not a file");
  fs::remove(folder / "step/sub/link");
  fs::create_directory_symlink("/etc", folder / "step/sub/link");
  CHECK(error() == "`sub/link` is a symbolic link, not a file");
  fs::remove(folder / "step/sub/link");
  REQUIRE(::mkfifo((folder / "step/pipe").c_str(), 0600) == 0);
  CHECK(error() == "`pipe` is a pipe, not a file");
  fs::remove_all(folder / "step");
  fs::create_directory_symlink("/etc", folder / "step");
  CHECK(error() == "cannot read step: Not a directory");
}

TEST_CASE("step files: a folder that is too deep is refused") {
  const TemporaryDirectory folder;
  fs::path deep = folder / "step";
  for (int i = 0; i < 20; ++i) deep /= "d";
  fs::create_directories(deep);
  CHECK(error_of([&] { read_step(folder / "step", wanted); }).ends_with("is more than 16 deep"));
}

TEST_CASE("step files: reading ends when the step is no longer wanted") {
  const TemporaryDirectory folder;
  write_step(folder / "from");
  CHECK(error_of([&] { read_step(folder / "from", [] { return true; }); }) == "no longer wanted");
}

TEST_CASE("step files: a file that a program changes while it is copied does not arrive") {
  const TemporaryDirectory folder;
  write_step(folder / "from");
  const Manifest manifest = read_step(folder / "from", wanted);
  const auto copy = [&](const char* to) {
    return error_of([&] {
      StepWriter writer(folder / to, manifest);
      for (const std::string& piece : pieces_of(folder / "from", manifest)) writer.take(piece);
    });
  };
  CHECK(copy("1") == "no error");
  write_file(folder / "from/.metadata", "n");
  CHECK(copy("2") == "`.metadata` does not have the digest that was announced");
  write_file(folder / "from/.metadata", "");
  CHECK(copy("3") == "`.metadata` has become shorter");
  fs::remove(folder / "from/.metadata");
  fs::create_symlink("one", folder / "from/.metadata");
  CHECK(copy("4") == "cannot read `.metadata`: Too many levels of symbolic links");
  fs::remove_all(folder / "from/shards");
  fs::remove(folder / "from/.metadata");
  write_file(folder / "from/.metadata", "m");
  fs::create_directory_symlink("/etc", folder / "from/shards");
  CHECK(copy("5") == "cannot read `shards/deep/big`: Not a directory");
}

TEST_CASE("step files: pieces out of order, of another size or too many are refused") {
  const TemporaryDirectory folder;
  fs::create_directory(folder / "from");
  write_file(folder / "from/big", big_text());
  const Manifest manifest = read_step(folder / "from", wanted);
  const std::vector<std::string> pieces = pieces_of(folder / "from", manifest);
  REQUIRE(pieces.size() == 3);
  const auto take = [&](const char* to, const std::vector<std::string>& some) {
    return error_of([&] {
      StepWriter writer(folder / to, manifest);
      for (const std::string& piece : some) writer.take(piece);
    });
  };
  CHECK(take("1", {pieces[1], pieces[0], pieces[2]}) ==
        "`big` does not have the digest that was announced");
  CHECK(take("2", {pieces[0], pieces[2]}) == "a piece of 5 bytes of `big`, expected 1048576");
  CHECK(take("3", {pieces[0], ""}) == "a piece of 0 bytes of `big`, expected 1048576");
  CHECK(take("4", {pieces[0], pieces[1], pieces[2], "x"}) == "a piece after the last file");
}

TEST_CASE("step files: a manifest cannot name anything outside its folder") {
  const std::string some(digest_bytes, 'd');
  const auto file = [&](const std::string& path) { return Manifest{{}, {{path, 0, some}}}; };
  for (const char* path : {"", "/etc/passwd", "..", "../x", "./x", "x/", "x//y", "."})
    CHECK(manifest_error(file(path)) == "`" + std::string(path) + "` is not a path below a step");
  CHECK(manifest_error({{"a"}, {{"a/../../x", 0, some}}}) ==
        "`a/../../x` is not a path below a step");
  CHECK(manifest_error(file("a/b")) == "`a/b` is in a folder that is missing");
  CHECK(manifest_error({{"a/b"}, {}}) == "`a/b` is in a folder that is missing");
  CHECK(manifest_error({{"a"}, {{"a", 0, some}}}) == "`a` is a file and a folder");
  CHECK(manifest_error({{}, {{"b", 0, some}, {"a", 0, some}}}) == "`a` is out of order");
  CHECK(manifest_error({{}, {{"a", 0, some}, {"a", 0, some}}}) == "`a` is out of order");
  CHECK(manifest_error({{}, {{"a", int64_t{1} << 51, some}}}) ==
        "`a` is 2251799813685248 bytes long");
}
