// Making the checks.
#include "launcher/health/runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/fd.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::health {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

// A killed process is gone within this time, or it is stuck in the kernel.
constexpr int patience_with_killed_ms = 50;

struct Running {
  const Family* family = nullptr;
  pid_t pid = 0;
  Fd words;  // lines: what it is doing; the last one is what it has seen
  std::string text;
};

bool write_line(int fd, const std::string& line) {
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t n = ::write(fd, left.data(), left.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) left.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// The rest of a family's process. It keeps nothing of its parent's open: should it be stuck in a
// driver for ever, nobody who reads our output waits for it.
[[noreturn]] void be(const Family& family, const Context& context, int words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  unblock_signals();
  ::signal(SIGPIPE, SIG_IGN);
  const Fd null(::open("/dev/null", O_RDWR));
  for (int stream : {0, 1, 2}) ::dup2(null.get(), stream);
  close_all_but({words});
  Look look;
  Looking looking(context, look);
  json last;
  try {
    family.look(looking, [&](const std::string& what) {
      write_line(words, json{{"doing", what}}.dump() + "\n");
    });
    last = {{"look", to_json(look)}};
  } catch (const std::exception& error) {
    last = {{"failed", error.what()}};
  }
  write_line(words, last.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  ::_exit(0);
}

Running start(const Family& family, const Context& context) {
  Pipe pipe = make_pipe();
  Running running;
  running.family = &family;
  running.pid = ::fork();
  if (running.pid < 0) throw_errno("cannot start a check");
  if (running.pid == 0) be(family, context, pipe.write.get());
  running.words = std::move(pipe.read);
  return running;
}

void hear_until(std::vector<Running>& all, Clock::time_point end) {
  for (;;) {
    std::vector<pollfd> fds;
    bool any = false;
    for (const Running& one : all) {
      fds.push_back({one.words.get(), POLLIN, 0});
      any = any || one.words;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (!any || left <= 0) return;
    if (::poll(fds.data(), fds.size(), static_cast<int>(left)) < 0 && errno != EINTR) return;
    for (size_t i = 0; i < all.size(); ++i) {
      if (fds[i].revents != 0) read_some(all[i].words, all[i].text);
    }
  }
}

void end_process(const Running& running) {
  if (running.words) ::kill(running.pid, SIGKILL);
  for (int waited_ms = 0; waited_ms < patience_with_killed_ms; ++waited_ms) {
    if (::waitpid(running.pid, nullptr, running.words ? WNOHANG : 0) != 0) return;
    ::usleep(1000);
  }
}

Look result_of(const Running& running, std::chrono::milliseconds limit) {
  const Family& family = *running.family;
  Look look;
  std::string doing = "starting";
  for (const std::string& line : split(running.text, '\n')) {
    const json body = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (body.contains("look")) return look_from_json(body["look"]);
    if (body.contains("doing")) doing = body["doing"];
    if (body.contains("failed")) {
      look.complete = false;
      look.skipped.push_back({family.name, body["failed"]});
      return look;
    }
  }
  if (running.words) {
    look.findings.push_back({family.hangs, family.name,
                             fmt::format("{} took longer than {:.1f} s", doing,
                                         static_cast<double>(limit.count()) / 1000),
                             family.name, 0, false});
    look.checks.push_back(family.name);
  } else {
    look.complete = false;
    look.skipped.push_back({family.name, fmt::format("its process ended while {}", doing)});
  }
  return look;
}

}  // namespace

Look run_families(const std::vector<Family>& families, const Context& context,
                  std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  std::vector<Running> all;
  for (const Family& family : families) all.push_back(start(family, context));
  hear_until(all, end);
  Look look;
  for (const Running& one : all) {
    end_process(one);
    look.add(result_of(one, limit));
  }
  return look;
}

std::vector<Family> families_for(const Context& context, const Machine& machine) {
  std::vector<Family> families;
  if (context.profile.gpus.count > 0) {
    families.push_back({"gpu", "driver-hang", [](Looking& looking, const Doing& doing) {
                          check_gpus(read_gpus(doing), looking);
                        }});
  }
  families.push_back({"network", "network-hang", [&](Looking& looking, const Doing& doing) {
                        check_network(machine, looking, doing);
                      }});
  families.push_back({"storage", "mount-hang", [&](Looking& looking, const Doing& doing) {
                        check_storage(machine, looking, doing);
                      }});
  families.push_back({"system", "kernel-stall", [&](Looking& looking, const Doing&) {
                        check_system(machine, looking);
                        check_kernel_log(machine, looking);
                      }});
  return families;
}

}  // namespace slipway::health
