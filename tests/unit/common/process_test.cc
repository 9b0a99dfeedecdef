#include "common/process.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>

#include "common/error.h"
#include "common/fd.h"
#include "common/process_stat.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

// From now on, signals that this process sends are lost, as if its children were stuck in the
// kernel.
void lose_all_signals() {
  sock_filter lines[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(lines)), lines};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    ::_exit(9);
  }
}

}  // namespace

TEST_CASE("run_process: collects both streams and the exit status") {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(result.output == "out\n");
  CHECK(result.errors == "err\n");
  CHECK(result.exit_code == 3);
}

TEST_CASE("run_process: gives a large stdin while it reads a large stdout") {
  const std::string text(1 << 20, 'x');
  CHECK(run_process({"cat"}, {.input = text}).output == text);
}

TEST_CASE("run_process: a child that does not read its stdin is not an error") {
  CHECK(run_process({"true"}, {.input = std::string(1 << 20, 'x')}).ok());
}

TEST_CASE("run_process: a signal shows as 128 and its number") {
  CHECK(run_process({"sh", "-c", "kill -TERM $$"}).exit_code == 143);
}

TEST_CASE("run_process: kills the child and its children at the deadline") {
  const ProcessResult result =
      run_process({"sh", "-c", "sleep 60 & sleep 60"}, {.input = "", .deadline = 50ms});
  CHECK(result.timed_out);
  CHECK_FALSE(result.ok());
}

TEST_CASE("run_process: the deadline holds for a child that has closed its streams, too") {
  const ProcessResult result =
      run_process({"sh", "-c", "exec >&- 2>&-; sleep 60"}, {.input = "", .deadline = 50ms});
  CHECK(result.timed_out);
}

TEST_CASE("run_process: the deadline holds for a program whose file cannot be opened, too") {
  const TemporaryDirectory folder;
  const std::filesystem::path program = folder.path() / "true";
  std::filesystem::copy_file("/bin/true", program);
  // While a lease is held, every other open() of the file waits, including that of exec.
  ::signal(SIGIO, SIG_IGN);
  const Fd held(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::fcntl(held.get(), F_SETLEASE, F_WRLCK) == 0);
  const auto begin = Clock::now();
  const ProcessResult result = run_process({program}, {.input = "", .deadline = 50ms});
  CHECK(result.timed_out);
  CHECK(Clock::now() - begin < 10s);
}

TEST_CASE("run_process: a child that outlives its SIGKILL is not waited for") {
  const pid_t child = ::fork();
  if (child == 0) {
    lose_all_signals();
    const auto begin = Clock::now();
    const ProcessResult result = run_process({"sleep", "60"}, {.input = "", .deadline = 50ms});
    ::_exit(result.timed_out && result.exit_code == 137 && Clock::now() - begin < 20s ? 0 : 1);
  }
  REQUIRE(ends_within(child, 30s));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(exit_code_of(status) == 0);
}

TEST_CASE("run_process: gives a program another name") {
  const ProcessResult result =
      run_process({"other", "-c", "echo \"$0\""}, {.input = "", .program = "/bin/sh"});
  CHECK(result.output == "other\n");
}

TEST_CASE("run_process: names a program that cannot be started") {
  CHECK_THROWS_WITH(run_process({"no-such-program"}),
                    "cannot start no-such-program: No such file or directory");
}

TEST_CASE("run_checked: reports the command, its status and its stderr") {
  CHECK_THROWS_WITH(run_checked({"sh", "-c", "echo broken >&2; exit 4"}),
                    "`sh -c echo broken >&2; exit 4` failed (exit status 4): broken");
}
