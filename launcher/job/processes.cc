// Lists processes from /proc.
#include "launcher/job/processes.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/text.h"

namespace slipway::job {
namespace {

// Parses "12 (name) S 1 …"; the name may contain parentheses and blanks.
bool read_process(const std::filesystem::path& folder, Process& process) {
  std::ifstream file(folder / "stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const size_t open = line.find('('), close = line.rfind(')');
  if (open == line.npos || close == line.npos || close < open) return false;
  process.name = line.substr(open + 1, close - open - 1);
  int parent = 0;
  long long ran[4] = {};  // utime, stime, cutime, cstime: fields 14 to 17
  if (std::sscanf(line.c_str() + close + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld", &process.state,
                  &parent, &ran[0], &ran[1], &ran[2], &ran[3]) != 6)
    return false;
  process.parent = parent;
  for (const long long each : ran) process.ticks += each;
  return true;
}

}  // namespace

std::vector<Process> all_processes() {
  std::vector<Process> all;
  for (const auto& entry : std::filesystem::directory_iterator(
           "/proc", std::filesystem::directory_options::skip_permission_denied)) {
    const std::string name = entry.path().filename();
    Process process;
    const auto pid = to_number<pid_t>(name);
    if (!pid) continue;
    process.pid = *pid;
    if (read_process(entry.path(), process)) all.push_back(std::move(process));
  }
  return all;
}

std::vector<Process> descendants_in(const std::vector<Process>& all, pid_t ancestor) {
  std::set<pid_t> family = {ancestor};
  std::vector<Process> found;
  for (bool more = true; more;) {
    more = false;
    for (const Process& process : all) {
      if (!family.contains(process.parent) || !family.insert(process.pid).second) continue;
      found.push_back(process);
      more = true;
    }
  }
  return found;
}

std::vector<Process> descendants(pid_t ancestor) {
  return descendants_in(all_processes(), ancestor);
}

}  // namespace slipway::job
