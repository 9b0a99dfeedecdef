// For verbs that run as root and trust nothing of their caller.
#include "launcher/commands/root_program.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "common/error.h"
#include "common/utc.h"

namespace slipway::commands {

void require_root() {
  if (::geteuid() != 0) throw Error("this needs root");
}

void forget_environment() {
  ::clearenv();
  ::setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  ::setenv("LANG", "C.UTF-8", 1);
}

void forget_the_caller() {
  forget_environment();
  ::umask(022);
  if (::chdir("/") != 0) throw_errno("cannot go to /");
}

void log_line(const std::string& what) {
  fmt::print(stderr, "{} {}\n", utc_text(std::time(nullptr)), what);
  std::fflush(stderr);
}

}  // namespace slipway::commands
