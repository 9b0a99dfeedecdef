// Measures two commands in pairs, one after the other, the order of each pair drawn by lot.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "nccl-tests/compare.h"

namespace slipway::bandwidth {

struct PairsToRun {
  std::string before, after;     // shell commands: each writes a report
  int pairs = 0;                 // at least 1
  std::filesystem::path folder;  // for the reports: before-01.json, after-01.json, …
  // Whether the second command of the next pair goes first.
  std::function<bool()> after_first;
  // Called before each command with its number, from 1, and the number of all.
  std::function<void(int, int)> on_start = [](int, int) {};
};

// Runs the commands with /bin/sh. `{report}` in a command is replaced by the name of the report
// that it has to write; without it, "--report FILE" is appended. Throws Error with the command and
// what it wrote if it leaves no report.
Sides run_pairs(const PairsToRun& plan);

// The command that writes its report to `report`.
std::string command_for(const std::string& command, const std::filesystem::path& report);

}  // namespace slipway::bandwidth
