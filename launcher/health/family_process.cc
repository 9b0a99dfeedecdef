// Runs a family of checks in a child process.
#include "launcher/health/family_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/child.h"
#include "common/error.h"
#include "common/json.h"
#include "common/process.h"
#include "common/process_stat.h"
#include "common/text.h"

namespace slipway::health {
namespace {

using nlohmann::json;

bool write_line(int fd, const std::string& line) {
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t n = ::write(fd, left.data(), left.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) left.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// The child process of a family.
[[noreturn]] void run_family(const Family& family, const Context& context, int words) {
  isolate_child(words);
  CheckResults results;
  CheckRun run(context, results);
  json last;
  try {
    family.check(run, [&](const std::string& what) {
      write_line(words, json{{"doing", what}}.dump() + "\n");
    });
    last = {{"results", to_json(results)}};
  } catch (const std::exception& error) {
    last = {{"failed", error.what()}};
  }
  write_line(words, last.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  ::_exit(0);
}

// Whether a process that did not finish was kept from running by CPU load, which users can cause,
// and not by a driver or a file system: with those it sleeps, or uses a full CPU.
bool had_no_processor(const ProcessorTime& had, bool was_ready, std::chrono::milliseconds limit) {
  return had.waited >= limit / 2 || (was_ready && had.ran < limit / 2);
}

}  // namespace

void isolate_child(int words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  unblock_signals();
  ::signal(SIGPIPE, SIG_IGN);
  const Fd null(::open("/dev/null", O_RDWR));
  for (const int stream : {0, 1, 2}) ::dup2(null.get(), stream);
  close_all_but({words});
}

void reap_killed(pid_t child) {
  constexpr std::chrono::milliseconds patience{50};  // after this, it is stuck in the kernel
  if (ends_within(child, patience)) ::waitpid(child, nullptr, WNOHANG);
}

FamilyProcess::FamilyProcess(Family family, const Context& context) : family_(std::move(family)) {
  Pipe pipe = make_pipe();
  pid_ = fork_child("a check");
  if (pid_ == 0) run_family(family_, context, pipe.write.get());
  words_ = std::move(pipe.read);
}

void FamilyProcess::read() {
  read_some(words_, text_);
}

void FamilyProcess::kill() {
  const pid_t pid = std::exchange(pid_, 0);
  if (pid == 0) return;
  if (words_) {
    const auto stat = process_stat(pid);
    was_ready_ = stat && stat->state == 'R';
    had_ = processor_time(pid);
    ::kill(pid, SIGKILL);
  }
  // Even a process that reported everything may be stuck, if a driver does not close its files.
  reap_killed(pid);
}

CheckResults FamilyProcess::results(std::chrono::milliseconds limit) const {
  CheckResults results;
  std::string doing = "starting";
  for (const std::string& line : split(text_, '\n')) {
    std::optional<std::string> failed;
    try {
      const json body = parse_json(line);
      if (body.contains("results")) return results_from_json(body["results"]);
      doing = body.value("doing", doing);
      if (body.contains("failed")) failed = body["failed"].get<std::string>();
    } catch (const std::exception&) {  // half a line: it was killed while writing
      continue;
    }
    if (failed) {
      results.complete = false;
      results.skipped.push_back({family_.name, *failed});
      return results;
    }
  }
  if (words_ && had_ && had_no_processor(*had_, was_ready_, limit)) {
    results.complete = false;
    results.findings.push_back({"overloaded", family_.name,
                                fmt::format("{}: starved of CPU time by other processes", doing),
                                family_.name, 0, false});
    results.checks.push_back(family_.name);
  } else if (words_) {
    results.findings.push_back({family_.hangs, family_.name,
                                fmt::format("{} took longer than {:.1f} s", doing,
                                            static_cast<double>(limit.count()) / 1000),
                                family_.name, 0, false});
    results.checks.push_back(family_.name);
  } else {
    results.complete = false;
    results.skipped.push_back({family_.name, fmt::format("its process ended while {}", doing)});
  }
  return results;
}

}  // namespace slipway::health
