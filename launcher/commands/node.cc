// slipway node: what a machine of a cluster does by itself.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/commands.h"
#include "launcher/node/boot.h"

namespace slipway::commands {
namespace {

// Nothing of whoever calls us decides what a program of root's does.
void forget_the_caller() {
  ::clearenv();
  ::setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  ::setenv("LANG", "C.UTF-8", 1);
  ::umask(022);
  if (::chdir("/") != 0) throw_errno("cannot go to /");
}

int boot(Args args) {
  int seconds = 600;
  CommandLine line("slipway node boot", "[options]",
                   "Make a running part of its cluster of this machine, which Google Cloud has "
                   "just started: the unit slipway-node.service does it at every start.");
  line.option("deadline", "SECONDS", "give up after this long (default 600)", &seconds);
  line.example("slipway node boot", "as root, on a machine that `slipway create` defined");
  line.example("slipway node boot --deadline 60", "to see soon what is missing");
  if (!line.parse(args)) return 0;
  if (seconds <= 0) throw UsageError("`--deadline` is a number of seconds above 0");
  if (::geteuid() != 0) throw Error("only root can do this");
  forget_the_caller();
  node::Cloud cloud;
  node::boot(cloud, std::chrono::seconds(seconds), [](const std::string& what) {
    fmt::print(stderr, "slipway node boot: {}\n", what);
    std::fflush(stderr);
  });
  return 0;
}

}  // namespace

int node(Args args) {
  std::string what = args.empty() ? "" : args[0];
  if (what == "boot") {
    return run_main("slipway node boot", [&] { return boot(args.subspan(1)); });
  }
  CommandLine line("slipway node", "boot [options]",
                   "What a machine of a cluster does by itself. People need it to look for what "
                   "went wrong.");
  line.positional("WHAT", &what);
  line.example("slipway node boot --help", "what a machine does when it starts");
  line.example("slipway node boot", "do it again");
  if (!line.parse(args)) return 0;
  throw UsageError(fmt::format("unknown part `{}`; known: boot", what));
}

}  // namespace slipway::commands
