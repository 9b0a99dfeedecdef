// Tests of folders that vanish with their program, using programs that are really killed.
#include "launcher/job/private_folder.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <set>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;
namespace fs = std::filesystem;

namespace {

// A temporary folder for the test, instead of /tmp.
class Temporary {
 public:
  Temporary() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~Temporary() { ::unsetenv("TMPDIR"); }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryDirectory folder_;
};

// A program that creates a folder with a file in it, and is killed.
void be_killed() {
  const pid_t child = ::fork();
  if (child == 0) {
    const PrivateFolder folder("agent");
    write_file(folder.path() / "step-0", "7\n");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("private folder: it exists as long as its program") {
  const Temporary temporary;
  {
    const PrivateFolder folder("agent");
    CHECK(fs::is_directory(folder.path()));
    CHECK(folder.path().filename().string().starts_with("agent-"));
  }
  CHECK(temporary.names().empty());
}

TEST_CASE("private folder: the next program removes what a killed program left") {
  const Temporary temporary;
  for (int i = 0; i < 3; ++i) be_killed();
  CHECK(temporary.names().size() == 1);
  std::optional<PrivateFolder> folder("agent");
  CHECK(temporary.names() == std::set<std::string>{folder->path().filename()});
  folder.reset();
  CHECK(temporary.names().empty());
}

TEST_CASE("private folder: folders in use stay, and so do those that are not ours") {
  const Temporary temporary;
  const PrivateFolder first("agent");
  fs::create_directory(temporary / "agent-of-another");  // without a lock
  fs::create_directory(temporary / "elsewhere");
  write_file(temporary / "elsewhere/.in-use", "");
  fs::create_directory_symlink(temporary / "elsewhere", temporary / "agent-link");
  write_file(temporary / "agent-file", "");
  const PrivateFolder second("agent");
  CHECK(temporary.names() == std::set<std::string>{"agent-file", "agent-link", "agent-of-another",
                                                   "elsewhere", first.path().filename(),
                                                   second.path().filename()});
  CHECK(fs::exists(temporary / "elsewhere/.in-use"));
}

TEST_CASE("private folder: $TMPDIR is where it lasts, or else memory or /tmp") {
  {
    const Temporary temporary;
    CHECK(lasting_folder() == (temporary / "").parent_path());
  }
  CHECK((lasting_folder() == "/dev/shm" || lasting_folder() == "/tmp"));
}
