#include "launcher/node/job_scripts.h"

#include <unistd.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;

namespace {

namespace fs = std::filesystem;

struct Fixture {
  TemporaryDirectory folder;
  ScriptPlaces places{folder.path() / "scripts", ::getuid()};
  std::vector<std::string> said;

  std::vector<std::string> names(const std::string& kind, const std::string& partition = "a3") {
    std::vector<std::string> names;
    const auto say = [&](const std::string& what) { said.push_back(what); };
    for (const fs::path& script : scripts_around_jobs(kind, partition, places, say)) {
      names.push_back(script.filename());
    }
    return names;
  }

  int run(const std::string& kind) {
    const auto say = [&](const std::string& what) { said.push_back(what); };
    return run_scripts(kind, scripts_around_jobs(kind, "", places, say), say);
  }

  std::string script(const std::string& line) const { return "#!/bin/sh\n" + line + "\n"; }
  fs::path out() const { return folder.path() / "out"; }
  std::string append(const std::string& word) const {
    return script("printf " + word + " >>" + out().string());
  }
};

}  // namespace

TEST_CASE("job scripts: written as executables, and removed when the blueprint drops them") {
  Fixture f;
  CHECK(write_scripts({{"prolog.d/000-a.sh", "x"}, {"epilog.d/000-b.sh", "y"}}, f.places));
  CHECK_FALSE(write_scripts({{"prolog.d/000-a.sh", "x"}, {"epilog.d/000-b.sh", "y"}}, f.places));
  CHECK(f.names("prolog") == std::vector<std::string>{"000-a.sh"});
  CHECK(write_scripts({{"prolog.d/000-a.sh", "z"}}, f.places));
  CHECK(f.names("epilog").empty());
  CHECK(read_file(f.places.own / "prolog.d/000-a.sh") == "z");
}

TEST_CASE("job scripts: a name cannot leave the folder") {
  Fixture f;
  for (const char* name : {"prolog.d/../x", "prolog.d/a/b", "../x", "prolog/x", "x.d/y",
                           "prolog.d/", "prolog.d/.hidden", "/etc/passwd", "prolog.d/a b"}) {
    CHECK_THROWS_AS(write_scripts({{name, "x"}}, f.places), Error);
  }
}

TEST_CASE("job scripts: run in order; a prolog stops at the first failure, an epilog does not") {
  Fixture f;
  write_scripts({{"prolog.d/000-a", f.append("a")},
                 {"prolog.d/001-b", f.script("exit 3")},
                 {"prolog.d/002-c", f.append("c")},
                 {"epilog.d/000-d", f.script("exit 4")},
                 {"epilog.d/001-e", f.append("e")}},
                f.places);
  CHECK(f.run("prolog") == 3);
  CHECK(read_file(f.out()) == "a");
  CHECK(f.run("epilog") == 4);
  CHECK(read_file(f.out()) == "ae");
}

TEST_CASE("job scripts: the site's run after the blueprint's, for all partitions and for one") {
  Fixture f;
  const fs::path site = f.folder.path() / "adm";
  const auto add = [&](const std::string& name) {
    fs::create_directories((site / name).parent_path());
    write_file(site / name, f.script("true"), 0755);
  };
  add("prolog_slurmd.d/b.prolog_slurmd");
  add("prolog_slurmd.d/a.prolog_slurmd");
  add("prolog_slurmd.d/notes.txt");
  add("partition-a3-prolog_slurmd.d/c.prolog_slurmd");
  add("prolog_task.d/d.prolog_task");
  write_scripts({{"prolog.d/000-own", f.script("true")}}, f.places);
  CHECK(f.names("prolog") == std::vector<std::string>{"000-own"});
  write_scripts({{"prolog.d/000-own", f.script("true")}, {"external", site.string() + "\n"}},
                f.places);
  CHECK(f.names("prolog") == std::vector<std::string>{"000-own", "a.prolog_slurmd",
                                                      "b.prolog_slurmd", "c.prolog_slurmd"});
  CHECK(f.names("prolog", "other").size() == 3);
  CHECK(f.names("prolog", "../../x").size() == 3);
  CHECK(f.names("task_prolog") == std::vector<std::string>{"d.prolog_task"});
}

TEST_CASE("job scripts: root runs none that others can change") {
  Fixture f;
  const fs::path site = f.folder.path() / "adm";
  fs::create_directories(site / "prolog_slurmd.d");
  fs::create_directories(site / "epilog_slurmd.d");
  write_file(site / "prolog_slurmd.d/a.prolog_slurmd", f.script("true"), 0777);
  ::chmod((site / "prolog_slurmd.d/a.prolog_slurmd").c_str(), 0777);
  write_file(site / "epilog_slurmd.d/b.epilog_slurmd", f.script("true"), 0755);
  ::chmod((site / "epilog_slurmd.d").c_str(), 0775);
  write_scripts({{"external", site.string()}}, f.places);
  CHECK(f.names("prolog").empty());
  CHECK(f.names("epilog").empty());
  REQUIRE(f.said.size() == 2);
  CHECK(f.said[0].ends_with("others than root can change it"));
}
