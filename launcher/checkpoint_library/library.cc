// libslipway-checkpoints.so: what slipway_checkpoints.h declares. Programs load it whatever they
// are written in and linked with, so it uses only the C library.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "launcher/checkpoint_library/slipway_checkpoints.h"
#include "launcher/checkpoint_library/state_file.h"

#define EXPORTED __attribute__((visibility("default")))

namespace {

using namespace slipway::checkpoint;

constexpr int64_t second = 1'000'000'000, millisecond = 1'000'000;  // in nanoseconds
constexpr int64_t first_pause = 2 * millisecond, longest_pause = 50 * millisecond;
constexpr int64_t longest_wait = int64_t{1} << 62;

int64_t now() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

void sleep_for(int64_t nanoseconds) {
  const timespec time = {nanoseconds / second, nanoseconds % second};
  ::nanosleep(&time, nullptr);
}

// What follows `prefix` in `text`; null: it does not begin with it.
const char* after(const char* prefix, const char* text) {
  const size_t length = ::strlen(prefix);
  return ::strncmp(text, prefix, length) == 0 ? text + length : nullptr;
}

int64_t step_in(const char* text) {
  const char* rest = after(state_version, text);
  if (rest == nullptr) return SLIPWAY_CHECKPOINTS_OTHER;
  if (after(state_off, rest) != nullptr) return SLIPWAY_CHECKPOINTS_OFF;
  rest = after(state_complete, rest);
  if (rest == nullptr) return SLIPWAY_CHECKPOINTS_OTHER;
  char* end = nullptr;
  const int64_t step = ::strtoll(rest, &end, 10);
  if (end == rest || *end != '\n' || step < -1) return SLIPWAY_CHECKPOINTS_OTHER;
  return step;
}

int64_t read_state(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  // A keeper that ended takes its file along.
  if (file < 0) return errno == ENOENT ? SLIPWAY_CHECKPOINTS_OFF : SLIPWAY_CHECKPOINTS_UNREADABLE;
  char text[256];
  const ssize_t size = ::read(file, text, sizeof text - 1);
  const int error = errno;
  ::close(file);
  errno = error;
  if (size < 0) return SLIPWAY_CHECKPOINTS_UNREADABLE;
  text[size] = '\0';
  return step_in(text);
}

}  // namespace

EXPORTED int64_t slipway_complete_step(void) {
  const char* path = ::getenv(state_variable);
  if (path != nullptr && *path != '\0') return read_state(path);
  // An agent from before this library sets only the folder.
  return ::getenv("SLIPWAY_CHECKPOINTS") != nullptr ? SLIPWAY_CHECKPOINTS_OTHER
                                                    : SLIPWAY_CHECKPOINTS_ABSENT;
}

EXPORTED int slipway_is_complete(int64_t step) {
  const int64_t newest = slipway_complete_step();
  if (newest < SLIPWAY_CHECKPOINTS_NONE) return static_cast<int>(newest);
  return newest >= 0 && newest >= step ? 1 : 0;
}

EXPORTED int slipway_wait_until_complete(int64_t step, int64_t milliseconds) {
  const bool forever = milliseconds < 0 || milliseconds > longest_wait / millisecond;
  const int64_t limit = forever ? longest_wait : milliseconds * millisecond;
  const int64_t begin = now();
  for (int64_t pause = first_pause;;) {
    const int answer = slipway_is_complete(step);
    if (answer != 0) return answer;
    const int64_t left = limit - (now() - begin);
    if (left <= 0) return 0;
    sleep_for(pause < left ? pause : left);
    pause = pause * 2 < longest_pause ? pause * 2 : longest_pause;
  }
}

EXPORTED const char* slipway_checkpoints_text(int64_t code) {
  switch (code) {
    case SLIPWAY_CHECKPOINTS_NONE:
      return "no step is complete yet";
    case SLIPWAY_CHECKPOINTS_ABSENT:
      return "the program does not run under slipway launch --fast-checkpoints";
    case SLIPWAY_CHECKPOINTS_OFF:
      return "fast checkpoints are off: slipway launch says why";
    case SLIPWAY_CHECKPOINTS_OTHER:
      return "the agent on this node is of another version than libslipway-checkpoints";
    case SLIPWAY_CHECKPOINTS_UNREADABLE:
      return "cannot read the file that SLIPWAY_CHECKPOINTS_STATE names";
    default:
      return code >= 0 ? "complete" : "not a code of libslipway-checkpoints";
  }
}
