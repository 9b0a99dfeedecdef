// The program `slipway`: finds the verb and runs it.
#include <fcntl.h>
#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "launcher/commands/commands.h"

namespace {

namespace commands = slipway::commands;

// If a standard stream is closed, the next file that we open would take its place.
void open_standard_streams() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
}

// Threads that read modules allocate at the same time: without a larger step, each asks the kernel
// for every few pages, and they wait for each other there.
void allocate_in_large_steps() {
  ::mallopt(M_TOP_PAD, 1 << 20);
}

// Options in place of a verb.
std::string verb_of(const std::string& word) {
  if (word == "--help" || word == "-h") return "help";
  if (word == "--version" || word == "-V" || word == "-v") return "version";
  return word;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  allocate_in_large_steps();
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) {
    std::fputs(commands::first_steps().c_str(), stderr);
    return 2;
  }
  const std::string verb = verb_of(args[0]);
  const auto after = std::span(args).subspan(1);
  if (verb == "__complete") return commands::complete(after);
  const commands::Command* command = nullptr;
  const int status = slipway::run_main("slipway", [&] {
    command = &commands::find_command(verb);
    return 0;
  });
  if (command == nullptr) return status;
  return slipway::run_main(fmt::format("slipway {}", verb), [&] { return command->run(after); });
}
