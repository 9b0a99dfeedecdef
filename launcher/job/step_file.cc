// Reads a file in which a program keeps its step number.
#include "launcher/job/step_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "common/fd.h"

namespace slipway::job {

std::optional<FileSteps> steps_in(const std::filesystem::path& path) {
  // Do not wait if the file is a pipe.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 64> text = {};
  const ssize_t got = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  const char* const end = text.data() + std::max<ssize_t>(got, 0);
  FileSteps steps;
  const auto [next, error] = std::from_chars(text.data(), end, steps.step);
  if (error != std::errc() || steps.step < 0) return std::nullopt;
  const char* const second = std::find_if(next, end, [](char c) { return c != ' '; });
  int64_t saved = 0;
  if (second != next && std::from_chars(second, end, saved).ec == std::errc() && saved > 0)
    steps.saved = saved;
  return steps;
}

std::optional<int64_t> step_in(const std::filesystem::path& path) {
  const auto steps = steps_in(path);
  return steps ? std::optional(steps->step) : std::nullopt;
}

}  // namespace slipway::job
