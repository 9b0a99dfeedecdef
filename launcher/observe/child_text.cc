// Makes a text in a child process.
#include "launcher/observe/child_text.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "common/child.h"
#include "common/tcp.h"
#include "launcher/health/family_process.h"

namespace slipway::observe {
namespace {

constexpr size_t largest_text = size_t{64} << 20;
// What a child writes last, so that a text is whole or nothing.
constexpr std::string_view end_mark = "\n\x04";

[[noreturn]] void write_and_exit(int pipe, std::string text) {
  text += end_mark;
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(pipe, rest.data(), rest.size());
    if (written < 0) ::_exit(1);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  ::_exit(0);
}

}  // namespace

ChildText::ChildText(const std::function<std::string()>& make, std::chrono::milliseconds limit)
    : deadline_(Clock::now() + limit) {
  Pipe pipe = make_pipe();
  pid_ = fork_child("a child for metrics");
  if (pid_ == 0) {
    health::isolate_child(pipe.write.get());
    try {
      write_and_exit(pipe.write.get(), make());
    } catch (...) {
      ::_exit(1);
    }
  }
  pipe_ = std::move(pipe.read);
}

bool ChildText::is_over() {
  while (pipe_ && text_.size() < largest_text && wait_for(pipe_.get(), POLLIN, Clock::now())) {
    read_some(pipe_, text_);
  }
  if (pipe_ && text_.size() < largest_text && Clock::now() < deadline_) return false;
  ended_well_ = !pipe_ && text_.ends_with(end_mark);
  end();
  return true;
}

std::optional<std::string> ChildText::text() const {
  if (!ended_well_) return std::nullopt;
  return text_.substr(0, text_.size() - end_mark.size());
}

void ChildText::end() {
  if (pid_ == 0) return;
  pipe_.reset();
  ::kill(pid_, SIGKILL);
  health::reap_killed(pid_);
  pid_ = 0;
}

std::optional<std::string> text_of_child(const std::function<std::string()>& make,
                                         std::chrono::milliseconds limit) {
  ChildText child(make, limit);
  while (!child.is_over()) wait_for(child.fd(), POLLIN, child.deadline());
  return child.text();
}

}  // namespace slipway::observe
