// Listens for NVML's Xid events in a child process.
#include "launcher/job/xid_listener.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "common/text.h"
#include "launcher/health/family_process.h"
#include "launcher/health/gpus.h"

namespace slipway::job {
namespace {

constexpr const char* ready_word = "ready";

[[noreturn]] void listen(const XidListener::Watch& watch, int words) {
  health::isolate_child(words);
  // A line is shorter than PIPE_BUF, so it arrives whole or not at all.
  const auto write_line = [words](const std::string& line) {
    return ::write(words, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  };
  watch([&] { write_line(fmt::format("{}\n", ready_word)); },
        [&](const health::Xid& xid) {
          return write_line(fmt::format("{} {}\n", xid.bus, xid.number));
        });
  ::_exit(0);
}

std::optional<health::Xid> xid_in(const std::string& line) {
  const size_t space = line.find(' ');
  if (space == line.npos) return std::nullopt;
  const auto number = to_number<int>(std::string_view(line).substr(space + 1));
  return number ? std::optional(health::Xid{line.substr(0, space), *number}) : std::nullopt;
}

}  // namespace

XidListener::XidListener() : XidListener(health::watch_xids) {}

XidListener::XidListener(const Watch& watch) {
  Pipe pipe = make_pipe();
  pid_ = ::fork();
  if (pid_ == 0) listen(watch, pipe.write.get());
  if (pid_ < 0) {
    pid_ = 0;  // cannot fork: the kernel log is read instead, and the cause is reported elsewhere
    return;
  }
  words_ = std::move(pipe.read);
}

XidListener::~XidListener() {
  // If it has ended, it may have been reaped with the tasks, and its PID may be reused.
  pollfd alive = {words_.get(), 0, 0};
  if (!words_ || ::poll(&alive, 1, 0) != 0) return;
  ::kill(pid_, SIGKILL);
  health::reap_killed(pid_);
}

std::optional<std::vector<health::Xid>> XidListener::news() {
  pollfd readable = {words_.get(), POLLIN, 0};
  while (words_ && ::poll(&readable, 1, 0) > 0) read_some(words_, text_);
  std::vector<health::Xid> xids;
  for (size_t end; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1)) {
    const std::string line = text_.substr(0, end);
    if (line == ready_word) ready_ = true;
    if (auto xid = xid_in(line)) xids.push_back(std::move(*xid));
  }
  if (xids.empty() && (!ready_ || !words_)) return std::nullopt;
  return xids;
}

}  // namespace slipway::job
