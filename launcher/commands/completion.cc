// `slipway completion`: prints the completion script of a shell.
#include <fmt/core.h>

#include <cstdio>
#include <map>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {
namespace {

// Where packages put them, below the prefix.
const std::map<std::string, std::string>& scripts() {
  static const std::map<std::string, std::string> scripts{
      {"bash", "share/bash-completion/completions/slipway"},
      {"zsh", "share/zsh/site-functions/_slipway"},
      {"fish", "share/fish/vendor_completions.d/slipway.fish"}};
  return scripts;
}

}  // namespace

int completion(Args args) {
  std::string shell;
  CommandLine line("slipway completion",
                   "Print the script with which a shell completes slipway's commands.");
  line.about(
      "A package installs the scripts where the shells find them. With an installation below a "
      "prefix of your own, load yours in the shell's startup file.");
  line.positional("bash|zsh|fish", &shell);
  line.example("source <(slipway completion bash)", "in ~/.bashrc");
  line.example("slipway completion zsh > ~/.zfunc/_slipway",
               "with ~/.zfunc in fpath, before compinit");
  line.example("slipway completion fish | source", "in ~/.config/fish/config.fish");
  if (!line.parse(args)) return 0;
  const auto script = scripts().find(shell);
  if (script == scripts().end()) {
    throw UsageError(fmt::format("unknown shell `{}`; known: bash, zsh, fish", shell));
  }
  std::fputs(read_file(find_installation().prefix / script->second).c_str(), stdout);
  return 0;
}

}  // namespace slipway::commands
