// The program `slipway`: finds the verb and runs it.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/commands/commands.h"

namespace {

using slipway::commands::Command;

std::string help() {
  std::string text =
      "Slipway turns a blueprint into a Slurm cluster for GPU training.\n\n"
      "Usage: slipway COMMAND [options]\n\nCommands:\n";
  for (const Command& command : slipway::commands::table()) {
    text += fmt::format("  {:<9} {}\n", command.name, command.about);
  }
  return text +
         "\n`slipway COMMAND --help` says more, with examples:\n"
         "  slipway check examples/quickstart.yaml\n"
         "  slipway deploy examples/quickstart.yaml --target local\n";
}

const Command& find(const std::string& verb) {
  std::vector<std::string> known;
  for (const Command& command : slipway::commands::table()) {
    if (verb == command.name) return command;
    known.emplace_back(command.name);
  }
  const std::string guess = slipway::nearest(verb, known);
  throw slipway::UsageError(
      guess.empty() ? fmt::format("unknown command `{}`", verb)
                    : fmt::format("unknown command `{}`; did you mean `{}`?", verb, guess));
}

// Whoever starts us with a closed stdin would make our next file 0, and take it for stdin.
void open_standard_streams() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h" || args[0] == "help")) {
    std::fputs(help().c_str(), stdout);
    return 0;
  }
  if (!args.empty() && args[0] == "--version") {
    fmt::print("slipway {}\n", SLIPWAY_VERSION);
    return 0;
  }
  if (args.empty()) {
    std::fputs(help().c_str(), stderr);
    return 2;
  }
  const Command* command = nullptr;
  const int found = slipway::run_main("slipway", [&] {
    command = &find(args[0]);
    return 0;
  });
  if (command == nullptr) return found;
  return slipway::run_main(fmt::format("slipway {}", args[0]),
                           [&] { return command->run(std::span(args).subspan(1)); });
}
