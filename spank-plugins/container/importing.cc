// Imports an image of a registry, by a program that runs as the job's user.
#include "spank-plugins/container/importing.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include <fmt/core.h>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/installation.h"
#include "common/process.h"
#include "common/text.h"
#include "spank-plugins/container/notation.h"

namespace slipway::container {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t longest_output = 8 << 10;

struct ProgramEnd {
  int status = 0;
  bool timed_out = false;
  std::string output, errors;
};

// In the child: never returns.
[[noreturn]] void execute(std::vector<std::string> words, const Environment& environment, int out,
                          int err) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : environment) lines.push_back(name + "=" + value);
  ::setpgid(0, 0);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  close_all_but({});
  ::execve(words[0].c_str(), pointers(words).data(), pointers(lines).data());
  const std::string text = fmt::format("cannot start {}: {}\n", words[0], std::strerror(errno));
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(126);
  ::_exit(127);
}

// Of a program that prints its progress all the time, the end says why it failed.
void keep_end(std::string& text) {
  if (text.size() > longest_output) text.erase(0, text.size() - longest_output / 2);
}

struct ImportStops {
  Clock::time_point deadline;
  int life;
};

// Reads both until they end. False if it has to stop before.
bool read_both(Pipe& output, Pipe& errors, ProgramEnd& outcome, const ImportStops& until) {
  while (output.read || errors.read) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until.deadline - Clock::now())
            .count();
    if (left <= 0) return false;
    pollfd all[3] = {
        {output.read.get(), POLLIN, 0}, {errors.read.get(), POLLIN, 0}, {until.life, POLLIN, 0}};
    if (::poll(all, 3, static_cast<int>(left)) < 0 && errno != EINTR) return false;
    if (all[2].revents != 0) return false;
    if (all[0].revents != 0) read_some(output.read, outcome.output);
    if (all[1].revents != 0) read_some(errors.read, outcome.errors);
    keep_end(outcome.output);
    keep_end(outcome.errors);
  }
  return true;
}

Environment program_environment(const Importing& importing) {
  Environment environment = importing.job;
  environment["PYXIS_RUNTIME_PATH"] = importing.runtime_path.string();
  environment.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  return environment;
}

ProgramEnd run_program(const User& user, const std::vector<std::string>& words,
                       const Importing& importing, std::chrono::seconds limit) {
  Pipe output = make_pipe(), errors = make_pipe();
  const Environment environment = program_environment(importing);
  const pid_t child =
      start_as(user, [&] { execute(words, environment, output.write.get(), errors.write.get()); });
  output.write.reset();
  errors.write.reset();
  ProgramEnd outcome;
  outcome.timed_out = !read_both(output, errors, outcome, {Clock::now() + limit, importing.life});
  if (outcome.timed_out) {
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);  // it may have joined another group
  }
  outcome.status = exit_code_of(wait_for_child(child));
  return outcome;
}

}  // namespace

std::filesystem::path import_image(const User& user, const Importing& importing,
                                   const std::string& image) {
  const std::string address = registry_address(image);
  const bool own = importing.importer.empty();
  const std::vector<std::string> words =
      own ? std::vector<std::string>{(own_installation().programs() / "slipway").string(),
                                     "container",
                                     "import",
                                     "--output",
                                     importing.output.string(),
                                     address}
          : std::vector<std::string>{importing.importer, "get", address};
  const ProgramEnd outcome = run_program(user, words, importing, importing.import_limit);
  if (outcome.timed_out) {
    throw Error(
        fmt::format("importing {} takes too long: import it once, in the batch script or "
                    "on the login node, with `slipway container import --output FILE {}`, "
                    "and give the file",
                    address, address));
  }
  if (outcome.status != 0) {
    throw Error(fmt::format("cannot import {}: {}", address,
                            trim(outcome.errors.empty() ? outcome.output : outcome.errors)));
  }
  if (own) return importing.output;
  const std::string path(trim(outcome.output.substr(0, outcome.output.find('\n'))));
  if (!path.starts_with('/')) {
    throw Error(
        fmt::format("{} did not print the path of the image {}", importing.importer, address));
  }
  return path;
}

void release_image(const User& user, const Importing& importing) noexcept {
  if (importing.importer.empty()) return;
  try {
    run_program(user, {importing.importer, "release"}, importing, importing.release_limit);
  } catch (...) {  // the administrator's program has its own log
  }
}

}  // namespace slipway::container
