// Tests that the deployment folder is written atomically, and what is kept when it is overwritten.
#include "launcher/google/write_folder.h"

#include <fcntl.h>

#include "common/error.h"
#include "common/file.h"
#include "launcher/google/new_files.h"
#include "launcher/google/record.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using google::Definitions;
using google::Existing;
namespace fs = std::filesystem;

namespace {

struct Folder {
  TemporaryDirectory directory;
  fs::path path = directory / "small";

  // A deployment with these groups, each with one file.
  static Definitions definitions(const std::vector<std::string>& groups,
                                 const std::string& text = "{}\n") {
    Definitions definitions;
    definitions.deployment = "small";
    for (const std::string& group : groups) {
      google::GroupSteps steps;
      steps.name = group;
      steps.kind = "terraform";
      definitions.groups.push_back(steps);
      definitions.files.push_back({group + "/net.tf.json", text});
    }
    definitions.files.push_back({google::record_file, google::record(definitions)});
    return definitions;
  }

  // The error message; empty without an error.
  std::string write(const Definitions& definitions, Existing existing = Existing::replace) const {
    try {
      google::write_folder(path, definitions, existing);
      return {};
    } catch (const Error& error) {
      return directory.relative(error.what());
    }
  }

  void put(const std::string& name, const std::string& text) const {
    make_directories((path / name).parent_path());
    write_file(path / name, text);
  }

  // Every file in the folder, and everything next to it.
  std::string list() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(directory.path())) {
      const std::string name = entry.path().lexically_relative(directory.path()).string();
      if (name == std::string("small/") + google::lock_file) continue;
      if (!fs::is_directory(entry.symlink_status())) names.insert(name);
      if (name.find('/') == std::string::npos && name != "small") names.insert(name);
    }
    std::string out;
    for (const std::string& name : names) out += name + "\n";
    return out;
  }
};

constexpr const char* state =
    R"({"version": 4, "resources": [{"type": "google_compute_network"}]})";
constexpr const char* empty_state = R"({"version": 4, "resources": []})";

}  // namespace

TEST_CASE("deployment folder: has all files and a list of them") {
  const Folder folder;
  CHECK(folder.write(Folder::definitions({"a", "b"}), Existing::refuse).empty());
  CHECK(folder.list() ==
        "small/.slipway/deployment.json\nsmall/.slipway/files.json\nsmall/a/net.tf.json\n"
        "small/b/net.tf.json\n");
  const google::Recorded recorded = google::read_record(folder.path);
  CHECK(recorded.files == std::set<std::string>{".slipway/deployment.json", ".slipway/files.json",
                                                "a/net.tf.json", "b/net.tf.json"});
  REQUIRE(recorded.groups.size() == 2);
  CHECK(recorded.groups[1].name == "b");
}

TEST_CASE("deployment folder: an existing folder stays unchanged") {
  const Folder folder;
  REQUIRE(folder.write(Folder::definitions({"a"})).empty());
  CHECK(folder.write(Folder::definitions({"a"}, "new"), Existing::refuse) ==
        "`small` already exists; `--overwrite-deployment` overwrites it and keeps its state");
  CHECK(read_file(folder.path / "a/net.tf.json") == "{}\n");
}

TEST_CASE("deployment folder: if it cannot be written, nothing is left behind") {
  const Folder folder;
  Definitions wrong = Folder::definitions({"a"});
  wrong.copies.push_back({"a/file", folder.directory / "nowhere", {}});
  CHECK(!folder.write(wrong).empty());
  CHECK(folder.list().empty());
  REQUIRE(folder.write(Folder::definitions({"a"})).empty());
  CHECK(!folder.write(wrong).empty());
  CHECK(folder.list() ==
        "small/.slipway/deployment.json\nsmall/.slipway/files.json\nsmall/a/net.tf.json\n");
}

TEST_CASE("deployment folder: two files with the same name are an error") {
  const Folder folder;
  Definitions twice = Folder::definitions({"a"});
  twice.files.push_back({"a/net.tf.json", ""});
  CHECK(folder.write(twice) == "`a/net.tf.json` is written twice");
}

TEST_CASE("deployment folder: working files of a copied module are not copied") {
  const Folder folder;
  const fs::path module = folder.directory / "module";
  make_directories(module / ".terraform/providers");
  make_directories(module / ".git");
  make_directories(module / "inner");
  for (const char* name : {"main.tf", "inner/x.sh", ".terraform/providers/p", ".git/config",
                           "terraform.tfstate", "terraform.tfstate.backup"}) {
    write_file(module / name, "text");
  }
  Definitions definitions = Folder::definitions({"a"});
  definitions.copies.push_back({"a/modules/m", module, {}});
  REQUIRE(folder.write(definitions).empty());
  CHECK(fs::exists(folder.path / "a/modules/m/inner/x.sh"));
  CHECK(google::read_record(folder.path).files ==
        std::set<std::string>{".slipway/deployment.json", ".slipway/files.json",
                              "a/modules/m/inner/x.sh", "a/modules/m/main.tf", "a/net.tf.json"});
}

TEST_CASE("deployment folder: state and the user's files stay, our files are replaced") {
  const Folder folder;
  REQUIRE(folder.write(Folder::definitions({"a", "b"})).empty());
  for (const char* name :
       {"a/terraform.tfstate", "a/.terraform/modules.json", "a/.terraform.lock.hcl", "a/notes",
        "notes", "b/terraform.tfvars.json", "b/notes"}) {
    folder.put(name, name == std::string("a/terraform.tfstate") ? state : "{}");
  }
  fs::create_symlink("notes", folder.path / "link");
  REQUIRE(folder.write(Folder::definitions({"a"}, "new\n")).empty());
  CHECK(folder.list() ==
        "small/.slipway/deployment.json\nsmall/.slipway/files.json\n"
        "small/a/.terraform.lock.hcl\nsmall/a/.terraform/modules.json\nsmall/a/net.tf.json\n"
        "small/a/notes\nsmall/a/terraform.tfstate\nsmall/b/notes\nsmall/link\nsmall/notes\n");
  CHECK(read_file(folder.path / "a/net.tf.json") == "new\n");
  CHECK(read_file(folder.path / "a/terraform.tfstate") == state);
}

TEST_CASE("deployment folder: a deployed group is not removed") {
  const Folder folder;
  REQUIRE(folder.write(Folder::definitions({"a", "b"})).empty());
  folder.put("b/terraform.tfstate", state);
  CHECK(folder.write(Folder::definitions({"a"})) ==
        "group `b` is no longer in the blueprint, but it is deployed: its state has 1 "
        "resources; destroy it first: slipway destroy small --only b");
  folder.put("b/terraform.tfstate", "no JSON");
  CHECK(folder.write(Folder::definitions({"a"})) ==
        "cannot read the state in `small/b/terraform.tfstate`: it is not JSON");
  folder.put("b/terraform.tfstate", empty_state);
  folder.put("b/.terraform/terraform.tfstate", R"({"backend": {"type": "gcs"}})");
  CHECK(folder.write(Folder::definitions({"a"})) ==
        "group `b` is no longer in the blueprint, but it is deployed: its state is in the "
        "backend `gcs`; destroy it first: slipway destroy small --only b");
  folder.put("b/.terraform/terraform.tfstate", R"({"backend": {"type": "local"}})");
  CHECK(folder.write(Folder::definitions({"a"})).empty());
  CHECK(!fs::exists(folder.path / "b"));
}

TEST_CASE("deployment folder: nothing is written while Terraform is running in it") {
  const Folder folder;
  REQUIRE(folder.write(Folder::definitions({"a"})).empty());
  folder.put("a/.terraform.tfstate.lock.info", "{}");
  folder.put("a/terraform.tfstate", "");
  CHECK(folder.write(Folder::definitions({"a"})).empty());  // a killed Terraform left the file
  const Fd state(::open((folder.path / "a/terraform.tfstate").c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  REQUIRE(::fcntl(state.get(), F_OFD_SETLK, &lock) == 0);
  CHECK(folder.write(Folder::definitions({"a"})) == "Terraform is running in `small/a`");
}

TEST_CASE("deployment folder: nothing is written while another slipway is running in it") {
  const Folder folder;
  REQUIRE(folder.write(Folder::definitions({"a"})).empty());
  {
    const Fd lock = google::lock_folder(folder.path);
    CHECK(folder.write(Folder::definitions({"a"})) == "another `slipway` is running in `small`");
  }
  CHECK(folder.write(Folder::definitions({"a"})).empty());
}

TEST_CASE("deployment folder: only the owner can access it unless the owner changes the mode") {
  const Folder folder;
  const auto mode = [&](const char* name) {
    return static_cast<int>(fs::status(folder.path / name).permissions());
  };
  REQUIRE(folder.write(Folder::definitions({"a"})).empty());
  CHECK(mode(".") == 0700);
  CHECK(mode(".slipway") == 0700);
  CHECK(mode(google::record_file) == 0600);
  CHECK(mode("a/net.tf.json") == 0600);
  fs::permissions(folder.path, static_cast<fs::perms>(0750));
  REQUIRE(folder.write(Folder::definitions({"a"})).empty());
  CHECK(mode(".") == 0750);
  CHECK(mode(".slipway") == 0700);
}

TEST_CASE("deployment folder: the user's files are not overwritten") {
  const Folder folder;
  REQUIRE(folder.write(Folder::definitions({"a"})).empty());
  folder.put("b/net.tf.json", "mine");
  CHECK(folder.write(Folder::definitions({"a", "b"})) ==
        "`small/b/net.tf.json` is your file and would be overwritten; move it away");
  CHECK(read_file(folder.path / "b/net.tf.json") == "mine");
}

TEST_CASE("deployment folder: only a folder that create wrote is overwritten") {
  const Folder folder;
  folder.put("a/net.tf.json", "mine");
  CHECK(folder.write(Folder::definitions({"a"})) ==
        "`small` was not written by `slipway create`: cannot read "
        "small/.slipway/deployment.json: No such file or directory");
  folder.put(google::record_file, R"({"schema": "slipway/created/0"})");
  CHECK(folder.write(Folder::definitions({"a"})) ==
        "`small` was not written by `slipway create`: its version is not supported");
  fs::remove_all(folder.path);
  write_file(folder.path, "a file");
  CHECK(folder.write(Folder::definitions({"a"})) == "`small` is not a folder");
}

TEST_CASE("deployment folder: special files are not copied") {
  const Folder folder;
  const fs::path module = folder.directory / "module";
  make_directories(module / "inner");
  fs::create_symlink("nowhere", module / "inner/link");
  Definitions definitions = Folder::definitions({"a"});
  definitions.copies.push_back({"a/modules/m", module, {}});
  CHECK(folder.write(definitions) == "cannot copy `module/inner/link`: No such file or directory");
  fs::remove(module / "inner/link");
  fs::create_symlink("/dev/null", module / "inner/link");
  CHECK(folder.write(definitions) ==
        "cannot copy `module/inner/link`: it is neither a file nor a folder");
  fs::remove(module / "inner/link");
  fs::create_directory_symlink(".", module / "inner/link");
  CHECK(folder.write(definitions).find("/inner/link/link") != std::string::npos);
  CHECK(!fs::exists(folder.path));
}

TEST_CASE("new files: an existing file is not overwritten, and links are not followed") {
  TemporaryDirectory folder;
  google::NewFiles files;
  files.write(folder / "a", "text", 0640);
  files.sync();
  CHECK(slipway::read_file(folder / "a") == "text");
  CHECK(static_cast<unsigned>(fs::status(folder / "a").permissions()) == 0640);
  CHECK_THROWS_AS(files.write(folder / "a", "other", 0600), slipway::Error);
  fs::create_symlink(folder / "target", folder / "link");
  CHECK_THROWS_AS(files.write(folder / "link", "text", 0600), slipway::Error);
  CHECK_FALSE(fs::exists(folder / "target"));
}

TEST_CASE("new files: a file that is gone before it is on the disk is an error") {
  TemporaryDirectory folder;
  google::NewFiles files;
  for (const char* name : {"a", "b", "c"}) files.write(folder / name, name, 0600);
  fs::remove(folder / "b");
  CHECK_THROWS_AS(files.sync(), slipway::Error);
}
