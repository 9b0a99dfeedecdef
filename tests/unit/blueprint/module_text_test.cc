// Tests module_file().
#include "launcher/blueprint/module_text.h"

#include "common/file.h"
#include "launcher/expression/evaluate.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

namespace {

struct Library {
  TemporaryDirectory folder;

  Library() {
    for (const char* part : {"modules/storage/share", "modules/storage/scripts"}) {
      std::filesystem::create_directories(folder.path() / part);
    }
    write_file(folder.path() / "modules/storage/share/own.sh", "own\n");
    write_file(folder.path() / "modules/storage/scripts/mount.sh", "shared\n");
    write_file(folder.path() / "modules/storage/share/bytes", "\xff\xfe");
    write_file(folder.path() / "catalogue.yaml", "data\n");
  }

  // The result of module_file(file) in a module with this path, in modules/storage/share.
  std::string text(const std::string& path, const std::string& file) const {
    modules::Interface interface;
    interface.path = path;
    interface.folder = folder.path() / "modules/storage/share";
    try {
      return blueprint::module_text(interface, file, {});
    } catch (const expression::ExpressionError& error) {
      return std::string("error: ") + error.what();
    }
  }
};

}  // namespace

TEST_CASE("module_file: a module can read the files in its folder") {
  const Library library;
  CHECK(library.text("modules/storage/share", "own.sh") == "own\n");
  CHECK(library.text("./share", "own.sh") == "own\n");
  CHECK(library.text("./share", "./own.sh") == "own\n");
  CHECK(library.text("modules/storage/share", "none.sh") ==
        "error: module_file(): there is no file `none.sh` in `modules/storage/share`");
  CHECK(library.text("modules/storage/share", "bytes") ==
        "error: module_file(): `bytes` is not UTF-8 text");
}

TEST_CASE("module_file: library modules can read files of the library, but no others") {
  const Library library;
  CHECK(library.text("modules/storage/share", "../scripts/mount.sh") == "shared\n");
  CHECK(library.text("modules/storage/share", "../../../catalogue.yaml") == "data\n");
  CHECK(library.text("modules/storage/share", "../../../../secret") ==
        "error: module_file(): `../../../../secret` is not in the module library");
  CHECK(library.text("modules/storage/share", "/etc/passwd") ==
        "error: module_file(): `/etc/passwd` is not in the module library");
}

TEST_CASE("module_file: a user's module can read only the files in its folder") {
  const Library library;
  CHECK(library.text("./share", "../scripts/mount.sh") ==
        "error: module_file(): `../scripts/mount.sh` is not in the module's folder");
  CHECK(library.text("./share", "") == "error: module_file(): `` is not in the module's folder");
}
