// Runs work in a child, and cleans up after it.
#include "launcher/container/worker.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "common/child.h"
#include "common/command_line.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/interrupts.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "launcher/container/root_folder.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

fs::path make_work_folder(const fs::path& parent) {
  std::string name = (parent / "slipway-import-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw_errno(fmt::format("cannot make a folder in {}", parent.string()));
  }
  return name;
}

class Remains {
 public:
  Remains(fs::path folder, fs::path unfinished)
      : folder_(std::move(folder)), unfinished_(std::move(unfinished)) {}
  ~Remains() {
    std::error_code ignored;
    fs::remove(unfinished_, ignored);
    remove_all_of(folder_);
  }
  Remains(const Remains&) = delete;
  Remains& operator=(const Remains&) = delete;

 private:
  const fs::path folder_, unfinished_;
};

[[noreturn]] void be_the_child(pid_t parent, const std::function<void()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  unblock_signals();
  // Ctrl-C reaches the parent, which ends this process and with it the programs that it runs.
  for (int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
  const int status = run_main("slipway container import", [&] {
    work();
    return 0;
  });
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

void run_worker(const fs::path& parent, const fs::path& unfinished,
                const std::function<void(const fs::path&)>& work) {
  const Interrupts interrupts;
  const fs::path folder = make_work_folder(parent);
  const Remains remains(folder, unfinished);
  const pid_t self = ::getpid();
  const pid_t child = fork_child("the import");
  if (child == 0) be_the_child(self, [&] { work(folder); });
  const Fd ended = open_pidfd(child);
  try {
    while (!interrupts.wait(ended.get(), std::chrono::hours(1))) {
    }
  } catch (const Error&) {
    ::kill(child, SIGKILL);
    wait_for_child(child);
    throw;
  }
  if (wait_for_child(child) != 0) throw ReportedError("");
}

}  // namespace slipway::container
