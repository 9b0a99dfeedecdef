// The line on a terminal that shows what a long command is doing.
#include "common/status_line.h"

#include "common/locale_text.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace slipway {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::string_view erase = "\r\x1b[K";

bool can_erase_lines() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

size_t columns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void write_to_terminal(std::string_view text) {
  // Not through stdio, whose locks a child would inherit from the drawing thread.
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

// Erases the line before a signal ends the program.
void erase_and_end(int number) {
  write_to_terminal(erase);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

using Handler = void (*)(int);

// Replaces the handlers of signals that would end the program.
void replace_handlers(Handler from, Handler to) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler == from) ::signal(number, to);
  }
}

}  // namespace

StatusLine::StatusLine() : terminal_(can_erase_lines()) {}

void StatusLine::show(const std::string& text) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  std::fflush(stderr);
  // A line that wraps could not be erased.
  const std::string shown = for_locale(text);
  write_to_terminal(fmt::format("{}{}", erase, first_columns(shown, columns() - 1)));
  is_shown_ = true;
}

void StatusLine::print(const std::string& text) {
  const std::lock_guard lock(mutex_);
  erase_shown();
  fmt::print(stderr, "{}\n", text);
}

void StatusLine::clear() {
  const std::lock_guard lock(mutex_);
  erase_shown();
}

void StatusLine::erase_shown() {
  if (is_shown_) write_to_terminal(erase);
  is_shown_ = false;
}

StatusLine::Work::Work(StatusLine& line, std::string text) : line_(line), text_(std::move(text)) {
  if (!line_.terminal_) return;
  replace_handlers(SIG_DFL, erase_and_end);
  // The other threads keep the signals.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& stop) { draw(stop); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

StatusLine::Work::~Work() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  line_.clear();
  replace_handlers(erase_and_end, SIG_DFL);
}

void StatusLine::Work::draw(const std::stop_token& stop) {
  const auto begin = Clock::now();
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, stop, 1s, [&] { return stop.stop_requested(); })) {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin);
    line_.show(fmt::format("{} ({})", text_, duration_text(passed)));
  }
}

std::string duration_text(std::chrono::seconds duration) {
  const auto seconds = duration.count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string_view first_columns(std::string_view text, size_t columns) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  size_t end = 0;
  for (size_t column = 0; end < text.size() && column < columns; ++column) {
    ++end;
    while (end < text.size() && continues(text[end])) ++end;
  }
  return text.substr(0, end);
}

}  // namespace slipway
