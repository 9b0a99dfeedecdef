// Tests of the library for programs, against the file that keepers write.
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "launcher/checkpoint/state_file.h"
#include "launcher/checkpoint_library/slipway_checkpoints.h"
#include "launcher/checkpoint_library/state_file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::checkpoint;
using namespace std::chrono_literals;

namespace {

// The environment of a program whose keeper works in a folder.
class Program {
 public:
  explicit Program(const std::filesystem::path& root) {
    ::setenv("SLIPWAY_CHECKPOINTS", (root / "rank-0").c_str(), 1);
    ::setenv(state_variable, state_path(root).c_str(), 1);
  }
  ~Program() {
    ::unsetenv("SLIPWAY_CHECKPOINTS");
    ::unsetenv(state_variable);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
};

constexpr int64_t long_enough = 60'000, soon = 20;

}  // namespace

TEST_CASE("checkpoint library: it says what the keeper wrote last") {
  const TemporaryDirectory root;
  const Program program(root.path());
  StateFile state(root.path());
  state.complete(-1);
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_NONE);
  CHECK(slipway_is_complete(0) == 0);
  state.complete(20);
  CHECK(slipway_complete_step() == 20);
  CHECK(slipway_is_complete(19) == 1);  // a newer one replaced it
  CHECK(slipway_is_complete(20) == 1);
  CHECK(slipway_is_complete(21) == 0);
  state.complete(-1);  // a restart without a step
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_NONE);
  state.turn_off();
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_OFF);
  state.complete(40);
  CHECK(slipway_is_complete(20) == SLIPWAY_CHECKPOINTS_OFF);
}

TEST_CASE(
    "checkpoint library: it waits for a step, for a limited time, and not when they are off") {
  const TemporaryDirectory root;
  const Program program(root.path());
  StateFile state(root.path());
  state.complete(20);
  CHECK(slipway_wait_until_complete(20, 0) == 1);
  CHECK(slipway_wait_until_complete(40, 0) == 0);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(slipway_wait_until_complete(40, soon) == 0);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(soon));
  std::thread keeper([&] {
    std::this_thread::sleep_for(30ms);
    state.complete(60);
  });
  CHECK(slipway_wait_until_complete(40, -1) == 1);
  keeper.join();
  keeper = std::thread([&] {
    std::this_thread::sleep_for(30ms);
    state.turn_off();
  });
  CHECK(slipway_wait_until_complete(80, long_enough) == SLIPWAY_CHECKPOINTS_OFF);
  keeper.join();
}

TEST_CASE("checkpoint library: without fast checkpoints, and with an agent that does not know it") {
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_ABSENT);
  CHECK(slipway_wait_until_complete(1, -1) == SLIPWAY_CHECKPOINTS_ABSENT);
  ::setenv("SLIPWAY_CHECKPOINTS", "/dev/shm/x", 1);
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_OTHER);
  ::unsetenv("SLIPWAY_CHECKPOINTS");
}

TEST_CASE("checkpoint library: a keeper that ended, and files that no keeper wrote") {
  const TemporaryDirectory root;
  const Program program(root.path());
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_OFF);
  const std::filesystem::path path = state_path(root.path());
  for (const char* text :
       {"", "slipway checkpoints 1\n", "slipway checkpoints 2\ncomplete 7\n",
        "slipway checkpoints 1\ncomplete\n", "slipway checkpoints 1\ncomplete 7",
        "slipway checkpoints 1\ncomplete x\n", "slipway checkpoints 1\nsomething\n",
        "slipway checkpoints 1\ncomplete -3\n"}) {
    INFO(text);
    std::ofstream(path) << text;
    CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_OTHER);
  }
  std::ofstream(path) << "slipway checkpoints 1\ncomplete 7\nsomething new\n";
  CHECK(slipway_complete_step() == 7);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_UNREADABLE);
}

TEST_CASE("checkpoint library: a state that could not be written comes later") {
  const TemporaryDirectory root;
  const Program program(root.path());
  const std::filesystem::path path = state_path(root.path());
  StateFile state(root.path());
  state.complete(40);
  std::filesystem::remove(path);
  std::filesystem::create_directories(path / "x");  // cannot be replaced
  state.complete(60);
  CHECK(slipway_complete_step() == SLIPWAY_CHECKPOINTS_UNREADABLE);
  std::filesystem::remove_all(path);
  state.retry();
  CHECK(slipway_complete_step() == 60);
  struct stat info = {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("checkpoint library: each code has a text") {
  for (int64_t code = SLIPWAY_CHECKPOINTS_UNREADABLE; code < 0; ++code)
    CHECK(slipway_checkpoints_text(code) != std::string("not a code of libslipway-checkpoints"));
  CHECK(slipway_checkpoints_text(7) == std::string("complete"));
  CHECK(slipway_checkpoints_text(-6) == std::string("not a code of libslipway-checkpoints"));
}
