#include "launcher/modules/module_source.h"

#include "launcher/modules/module_cache.h"
#include "tests/unit/catch.h"

using namespace slipway::modules;
using Kind = ModuleSource::Kind;

TEST_CASE("module source: distinguishes the library, folders and remote sources") {
  CHECK(parse_source("modules/network/vpc").kind == Kind::library);
  CHECK(parse_source("community/modules/x/y").path == "community/modules/x/y");
  for (const char* local : {"./x", "../x", "/x", ".", ".."}) {
    CHECK(parse_source(local).kind == Kind::local);
    CHECK(parse_source(local).path == local);
  }
  for (const char* unknown : {"", "x", "x/y", "a/b/c/d", "git::x", "x y/b/c"}) {
    CHECK(parse_source(unknown).kind == Kind::unknown);
  }
}

TEST_CASE("module source: reads every notation for a git repository") {
  struct Case {
    const char* text;
    const char* url;
    const char* folder;
    const char* ref;
  };
  const Case cases[] = {
      {"github.com/org/repo", "https://github.com/org/repo.git", "", ""},
      {"github.com/org/repo.git//a/b/?ref=v1&depth=1", "https://github.com/org/repo.git", "a/b",
       "v1"},
      {"github.com/org/repo/a//b", "https://github.com/org/repo.git", "a/b", ""},
      {"bitbucket.org/org/repo", "https://bitbucket.org/org/repo.git", "", ""},
      {"git::https://host.example/r.git//x?depth=1&ref=a%2Fb", "https://host.example/r.git", "x",
       "a/b"},
      {"git::ssh://git@host.example:22/r.git", "ssh://git@host.example:22/r.git", "", ""},
      {"git@github.com:org/repo.git//x?ref=main", "git@github.com:org/repo.git", "x", "main"},
      {"git::git@host.example:org/repo.git", "git@host.example:org/repo.git", "", ""},
      {"git::github.com/org/repo", "https://github.com/org/repo.git", "", ""},
      {"git::file:///srv/r//x", "file:///srv/r", "x", ""},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    const ModuleSource source = parse_source(one.text);
    CHECK(source.kind == Kind::git);
    CHECK(source.url == one.url);
    CHECK(source.folder == one.folder);
    CHECK(source.ref == one.ref);
    CHECK(source.path.empty());
  }
}

TEST_CASE("module source: leaves registries, archives and buckets to Terraform") {
  const auto read = [](std::string_view text) {
    const ModuleSource source = parse_source(text);
    CHECK(source.kind == Kind::terraform);
    return source.package + " " + source.folder;
  };
  CHECK(read("terraform-google-modules/network/google") ==
        "terraform-google-modules/network/google ");
  CHECK(read("app.example.com/a/b/c//d") == "app.example.com/a/b/c d");
  CHECK(read("localhost:8080/a/b/c") == "localhost:8080/a/b/c ");
  CHECK(read("https://host.example/x.zip//d?archive=zip") ==
        "https://host.example/x.zip?archive=zip d");
  CHECK(read("gcs::https://www.googleapis.com/storage/v1/b/x.zip") ==
        "gcs::https://www.googleapis.com/storage/v1/b/x.zip ");
  CHECK(read("hg::https://host.example/r") == "hg::https://host.example/r ");
}

TEST_CASE("module source: recognizes Cluster Toolkit's repository under every name") {
  for (const char* repository :
       {"github.com/GoogleCloudPlatform/cluster-toolkit",
        "github.com/googlecloudplatform/hpc-toolkit.git",
        "git::https://github.com/GoogleCloudPlatform/hpc-toolkit.git",
        "git@github.com:GoogleCloudPlatform/hpc-toolkit.git",
        "git::ssh://git@github.com/GoogleCloudPlatform/cluster-toolkit.git"}) {
    INFO(repository);
    const std::string text(repository);
    CHECK(parse_source(text + "//modules/network/vpc?ref=v1.2.3&depth=1").path ==
          "modules/network/vpc");
    CHECK(parse_source(text + "//community/modules/x/y").path == "community/modules/x/y");
    CHECK(parse_source(text + "//examples/x").path.empty());
  }
  CHECK(parse_source("github.com/other/hpc-toolkit//modules/network/vpc").path.empty());
  CHECK(parse_source("git::https://github.com.example/GoogleCloudPlatform/hpc-toolkit//modules/a")
            .path.empty());
}

TEST_CASE("module cache: every package has a unique folder") {
  const ModuleCache cache{"/cache"};
  const auto folder = [&](std::string_view text) {
    return cache.folder(parse_source(text)).string();
  };
  CHECK(folder("git::https://host.example/../r.git//x?ref=v1") ==
        "/cache/git%3A%3Ahttps%3A%2F%2Fhost.example%2F..%2Fr.git%3Fref%3Dv1/=package");
  CHECK(folder("github.com/a/b//x") == folder("git::https://github.com/a/b.git//y"));
  CHECK(folder("github.com/a/b?ref=v1") != folder("github.com/a/b?ref=v2"));
  const std::string deep = folder("git::https://host.example/" + std::string(300, 'a'));
  CHECK(deep.find(std::string(250, 'a')) == std::string::npos);
  CHECK(ModuleCache{}.folder(parse_source("github.com/a/b")).empty());
}
