// Reads a file in which a program keeps its step number.
#include "launcher/job/step_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "common/fd.h"

namespace slipway::job {

std::optional<int64_t> step_in(const std::filesystem::path& path) {
  // Do not wait if the file is a pipe.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 32> text = {};
  const ssize_t got = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + std::max<ssize_t>(got, 0), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  return number;
}

}  // namespace slipway::job
