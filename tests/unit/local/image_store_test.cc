// Tests of the image store: listing, locking and removing images. tests/system/image.bats tests
// building one.
#include "launcher/local/image_store.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

namespace {

struct Images {
  Images() {
    for (const char* name : {"trixie-111111111111", "sid-222222222222"}) {
      make_directories(folder / name / "root");
      write_file(folder / name / "image.json",
                 "{\"schema\": \"slipway/local-image/1\", \"release\": \"trixie\", "
                 "\"slurm\": \"24.11.5\", \"built\": \"2026-11-21T12:00:00Z\"}");
    }
    make_directories(folder / ".trixie-333333333333/root");  // an interrupted build
  }
  TemporaryDirectory folder;
  local::ImageStore store{folder.path()};
};

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("images: complete ones are listed by name") {
  const Images images;
  const std::vector<local::LocalImage> found = images.store.list();
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "sid-222222222222");
  CHECK(found[1].slurm == "24.11.5");
  CHECK(found[1].root() == images.folder / "trixie-111111111111/root");
  CHECK(local::ImageStore(images.folder / "none").list().empty());
}

TEST_CASE("images: recognizes an image older than node_health") {
  const Images images;
  const local::LocalImage image = images.store.find("sid-222222222222");
  CHECK_FALSE(image.has_node_health());
  make_directories(image.root() / "opt/slipway/libexec/slipway");
  write_file(image.root() / "opt/slipway/libexec/slipway/health", "#!/bin/sh\n");
  CHECK(image.has_node_health());
}

TEST_CASE("images: an unknown name gets a suggestion") {
  const Images images;
  CHECK(error_of([&] { images.store.find("trixie-111111111112"); }) ==
        "there is no image `trixie-111111111112`; did you mean `trixie-111111111111`?");
  CHECK(error_of([&] { images.store.find("x"); }) ==
        "there is no image `x`; `slipway image list` lists them");
}

TEST_CASE("images: a locked image is not removed") {
  const Images images;
  const local::LocalImage image = images.store.find("sid-222222222222");
  {
    const Fd held = local::hold_image(image);
    CHECK(local::is_held(image));
    CHECK(error_of([&] { images.store.remove(image.name); }) ==
          "a deployment runs from the image `sid-222222222222`");
  }
  CHECK_FALSE(local::is_held(image));
  images.store.remove(image.name);
  CHECK_FALSE(std::filesystem::exists(image.folder));
  CHECK(images.store.list().size() == 1);
}

TEST_CASE("images: who can read an image keeps nobody from it") {
  const Images images;
  const local::LocalImage image = images.store.find("sid-222222222222");
  const Fd users(::open((image.folder / "image.json").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(users.get(), LOCK_EX | LOCK_NB) == 0);
  CHECK_FALSE(local::is_held(image));
  CHECK(local::hold_image(image));
  images.store.remove(image.name);
  CHECK_FALSE(std::filesystem::exists(image.folder));
}

TEST_CASE("images: if many remove an image, one succeeds, and the others learn that it is gone") {
  const Images images;
  std::vector<std::string> said(8);
  std::vector<std::thread> removers;
  for (std::string& what : said) {
    removers.emplace_back(
        [&] { what = error_of([&] { images.store.remove("sid-222222222222"); }); });
  }
  for (std::thread& remover : removers) remover.join();
  CHECK(std::ranges::count(said, "none") == 1);
  for (const std::string& what : said) {
    CHECK((what == "none" || what.starts_with("there is no image `sid-222222222222`")));
  }
  CHECK(images.store.list().size() == 1);
}

TEST_CASE("images: removing an image also cleans up interrupted removals") {
  const Images images;
  make_directories(images.folder / ".gone-trixie-333333333333/root");
  images.store.remove("sid-222222222222");
  CHECK_FALSE(std::filesystem::exists(images.folder / ".gone-trixie-333333333333"));
}

TEST_CASE("images: the source must be Slipway's") {
  const TemporaryDirectory folder;
  CHECK(error_of([&] {
          local::ImageStore::name_of({folder.path(), "trixie", "", {}});
        }).ends_with("is not a Slipway source tree: it has no images/install.sh"));
}
