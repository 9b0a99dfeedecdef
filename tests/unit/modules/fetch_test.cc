#include "launcher/modules/fetch.h"

#include <sys/stat.h>

#include <cstdlib>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "launcher/modules/library.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
namespace fs = std::filesystem;

namespace {

// A git repository with one module, and an empty cache.
struct OneRepository {
  OneRepository() {
    make_directories(repository / "storage");
    git({"init", "--quiet", "--initial-branch=main"});
    commit("size_gb", "v1");
    commit("size_gib", "v2");
  }

  std::string git(std::vector<std::string> words) const {
    std::vector<std::string> argv{"git",
                                  "-C",
                                  repository.string(),
                                  "-c",
                                  "user.name=User",
                                  "-c",
                                  "user.email=user@example.com",
                                  "-c",
                                  "commit.gpgsign=false"};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_checked(argv);
  }

  // Commits a version of the module with this variable.
  void commit(const std::string& variable, const std::string& tag) const {
    write_file(repository / "storage/main.tf", "variable \"" + variable + "\" {}\n");
    git({"add", "--all"});
    git({"commit", "--quiet", "--message", variable});
    git({"tag", tag});
  }

  modules::ModuleSource source(const std::string& query = {}) const {
    return modules::parse_source("git::file://" + repository.string() + "//storage" + query);
  }

  std::string file(const modules::ModuleSource& of) const {
    return read_file(cache.folder(of) / "storage/main.tf");
  }

  std::string wrong(const modules::ModuleSource& of) const {
    try {
      modules::Fetcher(cache).fetch(of);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  TemporaryDirectory folder;
  fs::path repository = folder / "repository";
  modules::ModuleCache cache{folder / "cache/modules"};
};

}  // namespace

TEST_CASE("fetching: downloads the commit of a ref, without history") {
  const OneRepository one;
  modules::Fetcher fetcher(one.cache);
  const std::string commit = one.git({"rev-parse", "v1"}).substr(0, 10);
  CHECK_FALSE(fetcher.has(one.source("?ref=v1")));
  for (const std::string& ref : {std::string("v1"), commit}) {
    fetcher.fetch(one.source("?ref=" + ref));
    CHECK(one.file(one.source("?ref=" + ref)) == "variable \"size_gb\" {}\n");
  }
  fetcher.fetch(one.source());
  CHECK(one.file(one.source()) == "variable \"size_gib\" {}\n");
  CHECK(fetcher.has(one.source("?ref=v1&depth=1")));
  CHECK_FALSE(fs::exists(one.cache.folder(one.source()) / ".git"));
}

TEST_CASE("fetching: replaces the cached package and leaves no other files") {
  const OneRepository one;
  modules::Fetcher fetcher(one.cache);
  fetcher.fetch(one.source("?ref=main"));
  one.commit("size_tib", "v3");
  fetcher.fetch(one.source("?ref=main"));
  CHECK(one.file(one.source("?ref=main")) == "variable \"size_tib\" {}\n");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(one.cache.root)) {
    names.push_back(entry.path().filename());
  }
  CHECK(names.size() == 2);  // the package and the lock
}

TEST_CASE("fetching: keeps the cached package if the download fails") {
  const OneRepository one;
  const modules::ModuleSource source = one.source("?ref=main");
  modules::Fetcher(one.cache).fetch(source);
  fs::rename(one.repository, one.folder / "elsewhere");
  CHECK(one.wrong(source).starts_with("git: "));
  CHECK(one.file(source) == "variable \"size_gib\" {}\n");
}

TEST_CASE("fetching: reports git's message") {
  const OneRepository one;
  CHECK(one.wrong(one.source("?ref=none")).find("none") != std::string::npos);
  CHECK(one.wrong(one.source("?ref=--upload-pack%3Dx")).find("--upload-pack=x") !=
        std::string::npos);
  CHECK(one.wrong(modules::parse_source("git::ext://host/x")).starts_with("git: "));
  CHECK(one.wrong(modules::parse_source("git::http://localhost:1/x")).starts_with("git: "));
}

TEST_CASE("fetching: removes links out of the package") {
  const OneRepository one;
  fs::create_symlink("/etc/passwd", one.repository / "storage/out.tf");
  fs::create_symlink("nowhere", one.repository / "storage/broken.tf");
  fs::create_symlink("../storage", one.repository / "storage/in");
  one.commit("x", "links");
  modules::Fetcher(one.cache).fetch(one.source());
  const fs::path folder = one.cache.folder(one.source()) / "storage";
  CHECK_FALSE(fs::is_symlink(folder / "out.tf"));
  CHECK_FALSE(fs::is_symlink(folder / "broken.tf"));
  CHECK(fs::is_symlink(folder / "in"));
}

TEST_CASE("fetching: only the owner can read the cache, and files of a killed fetch are removed") {
  const OneRepository one;
  make_directories(one.cache.root / ".new.abcdef/package");
  modules::Fetcher fetcher(one.cache);
  fetcher.fetch(one.source());
  CHECK_FALSE(fs::exists(one.cache.root / ".new.abcdef"));
  struct stat info = {};
  REQUIRE(::stat(one.cache.folder(one.source()).c_str(), &info) == 0);
  CHECK((info.st_mode & 077) == 0);
}

TEST_CASE("fetching: the library finds fetched modules and reports missing ones") {
  const OneRepository one;
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  modules::Library library(one.folder.path(), sources, one.cache);
  const std::string text = "git::file://" + one.repository.string() + "//storage?ref=v1";
  CHECK(library.find(text, diagnostics) == nullptr);
  CHECK(render(diagnostics) == "error[E0224]: module `" + text +
                                   "` has not been fetched\n"
                                   "  = help: run `slipway fetch BLUEPRINT`\n");
  modules::Fetcher(one.cache).fetch(one.source("?ref=v1"));
  const modules::Interface* interface = library.find(text, diagnostics);
  REQUIRE(interface != nullptr);
  CHECK(interface->input_names() == std::vector<std::string>{"size_gb"});
  CHECK(interface->path == text);
}

TEST_CASE("fetching: downloads an archive with Terraform") {
  if (run_process({"sh", "-c", "command -v terraform || command -v tofu"}).exit_code != 0) {
    WARN("neither terraform nor tofu is here: not tested");
    return;
  }
  const OneRepository one;
  const fs::path archive = one.folder / "x.tar.gz";
  run_checked({"tar", "-czf", archive.string(), "-C", one.repository.string(), "storage"});
  const modules::ModuleSource source =
      modules::parse_source("file://" + archive.string() + "//storage");
  modules::Fetcher(one.cache).fetch(source);
  CHECK(one.file(source) == "variable \"size_gib\" {}\n");
  const auto folder = modules::parse_source("file://" + one.repository.string());
  CHECK(one.wrong(folder) ==
        "the source is a folder on this machine: write a path that starts with `./` or `/`");
  CHECK(one.wrong(modules::parse_source("file:///nonexistent/x.zip")).starts_with("Error: "));
}
