// Measures two commands in pairs, the order of each pair drawn by lot.
#include "nccl-tests/run_pairs.h"

#include <chrono>

#include <fmt/core.h>

#include "common/error.h"
#include "common/process.h"

namespace slipway::bandwidth {
namespace {

constexpr std::string_view report_mark = "{report}";
constexpr auto longest_command = std::chrono::hours(24);

// In single quotes for a shell.
std::string shell_word(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string last_lines(const std::string& text) {
  constexpr size_t most = 2000;
  return text.size() > most ? "…" + text.substr(text.size() - most) : text;
}

// A verdict of `fail` ends with status 1 and has a report, which counts.
ReadReport run_one(const std::string& command, const std::filesystem::path& report) {
  std::filesystem::remove(report);
  ProcessOptions options;
  options.deadline = longest_command;
  const ProcessResult result =
      run_process({"/bin/sh", "-c", command_for(command, report)}, options);
  if (!std::filesystem::exists(report)) {
    throw Error(fmt::format("`{}` ended with status {} and left no report in {}:\n{}{}", command,
                            result.exit_code, report.string(), last_lines(result.output),
                            last_lines(result.errors)));
  }
  return read_report(report);
}

}  // namespace

std::string command_for(const std::string& command, const std::filesystem::path& report) {
  const std::string name = shell_word(report.string());
  std::string text = command;
  size_t at = text.find(report_mark);
  if (at == text.npos) return text + " --report " + name;
  for (; at != text.npos; at = text.find(report_mark, at + name.size()))
    text.replace(at, report_mark.size(), name);
  return text;
}

Sides run_pairs(const PairsToRun& plan) {
  Sides sides;
  sides.paired = true;
  for (int pair = 1; pair <= plan.pairs; ++pair) {
    const bool after_first = plan.after_first();
    for (const bool after : {after_first, !after_first}) {
      const int done = static_cast<int>(sides.before.size() + sides.after.size());
      plan.on_start(done + 1, 2 * plan.pairs);
      const char* const name = after ? "after" : "before";
      const auto report = plan.folder / fmt::format("{}-{:02}.json", name, pair);
      (after ? sides.after : sides.before)
          .push_back(run_one(after ? plan.after : plan.before, report));
    }
  }
  return sides;
}

}  // namespace slipway::bandwidth
