// Writes the tasks' output to the launcher's stdout and stderr.
#include "launcher/job/output.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

namespace slipway::job {
namespace {

// Longer lines are written in pieces.
constexpr size_t longest_line = 1 << 16;

// Output that cannot be written is lost: that is not a reason to end the program.
void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    if (written < 0 && errno != EINTR) return;
  }
}

}  // namespace

void Output::put(int64_t rank, int stream, const std::string& bytes) {
  std::string& begun = begun_[{rank, stream}];
  begun += bytes;
  size_t end = begun.rfind('\n') + 1;
  if (end == 0 && begun.size() > longest_line) end = begun.size();
  if (end > 0) write(rank, stream, begun.substr(0, end));
  begun.erase(0, end);
}

void Output::put_rest() {
  for (auto& [of, begun] : begun_) {
    if (!begun.empty()) write(of.first, of.second, begun + "\n");
    begun.clear();
  }
}

void Output::write(int64_t rank, int stream, std::string lines) {
  if (label_) {
    std::string labeled;
    for (size_t begin = 0; begin < lines.size();) {
      const size_t end = std::min(lines.find('\n', begin), lines.size() - 1) + 1;
      labeled += fmt::format("{}: {}", rank, std::string_view(lines).substr(begin, end - begin));
      begin = end;
    }
    lines = std::move(labeled);
  }
  const size_t bytes = lines.size();
  async_.put([stream, text = std::move(lines)] { write_all(stream, text); }, bytes);
}

}  // namespace slipway::job
