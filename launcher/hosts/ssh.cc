// Runs commands on other machines.
#include "launcher/hosts/ssh.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <vector>

#include "common/process.h"
#include "common/text.h"

namespace slipway::hosts {
namespace {

constexpr int ssh_failed = 255;  // ssh(1), EXIT STATUS

// Some servers give root a user's PATH, with which dpkg refuses to work.
constexpr const char* root_path =
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH\n";

// What OpenSSH and sudo say, and what helps.
struct KnownProblem {
  std::string_view text, help;
};
constexpr std::array known_problems = {
    KnownProblem{"Host key verification failed",
                 "connect to it once with ssh and compare its key, or add "
                 "`StrictHostKeyChecking=accept-new` to `options` of `ssh`"},
    KnownProblem{"Permission denied",
                 "`user` and `identity_file` of `ssh` say how to log in; passwords are not asked "
                 "for: use a key, or an agent"},
    KnownProblem{"a password is required",
                 "let this user run everything with sudo without a password, or use root"},
    KnownProblem{"sudo: not found", "install sudo there, or set `user: root` in `ssh`"},
    KnownProblem{"sudo: command not found", "install sudo there, or set `user: root` in `ssh`"},
};

std::string help_for(const std::string& errors) {
  for (const KnownProblem& known : known_problems) {
    if (errors.find(known.text) != errors.npos) return std::string(known.help);
  }
  return {};
}

// For the login shell of the user there, whichever it is.
std::string as_root(const std::string& command) {
  const std::string script = fmt::format(
      "c={}; if [ \"$(id -u)\" = 0 ]; then exec sh -c \"$c\"; else exec sudo -n sh -c \"$c\"; fi",
      shell_quote(std::string(root_path) + command));
  return "exec /bin/sh -c " + shell_quote(script);
}

// The last line, without the dot of a sentence.
std::string last_words(const std::string& errors) {
  std::string last(last_line_of(errors));
  if (last.ends_with('.')) last.pop_back();
  return last;
}

}  // namespace

RemoteAnswer Ssh::run(const std::string& address, const std::string& command,
                      const std::string& input, std::chrono::seconds deadline) const {
  std::vector<std::string> argv{"ssh", "-T",
                                "-o",  "BatchMode=yes",
                                "-o",  "ConnectTimeout=10",
                                "-o",  "ServerAliveInterval=15"};
  if (access_.port != 0) argv.insert(argv.end(), {"-p", std::to_string(access_.port)});
  if (!access_.user.empty()) argv.insert(argv.end(), {"-l", access_.user});
  if (!access_.identity_file.empty()) argv.insert(argv.end(), {"-i", access_.identity_file});
  for (const std::string& option : access_.options) argv.insert(argv.end(), {"-o", option});
  argv.insert(argv.end(), {"--", address, as_root(command)});
  const ProcessResult result = run_process(argv, {.input = input, .deadline = deadline});
  if (result.ok()) return {result.output, "", ""};
  if (result.timed_out) {
    return {"", fmt::format("it did not answer within {} s", deadline.count()), ""};
  }
  const std::string words = last_words(result.errors);
  if (result.exit_code == ssh_failed) {
    const bool is_said = words.starts_with("ssh: ");
    return {"", (is_said ? "" : "ssh: ") + (words.empty() ? "it cannot be reached" : words),
            help_for(result.errors)};
  }
  return {
      result.output,
      words.empty() ? fmt::format("the command failed with status {}", result.exit_code) : words,
      help_for(result.errors)};
}

}  // namespace slipway::hosts
