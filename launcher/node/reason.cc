// Tells Slurm why nodes could not be provided.
#include "launcher/node/reason.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <thread>

#include "common/child.h"
#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/ask_slurm.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

constexpr const char* scontrol = "/usr/bin/scontrol";
constexpr size_t longest_reason = 400;

// Slurm answers by then unless slurmctld is gone; this does not wait for ResumeTimeout.
const ProcessOptions soon{.input = "", .deadline = 15s};

// The largest of all partitions' values after `key`, or `otherwise` if none is a number.
int longest(const std::string& partitions, std::string_view key, int otherwise) {
  int most = 0;
  for (size_t at = partitions.find(key); at != partitions.npos; at = partitions.find(key, at + 1)) {
    int seconds = 0;
    const char* const number = partitions.data() + at + key.size();
    std::from_chars(number, partitions.data() + partitions.size(), seconds);
    most = std::max(most, seconds);
  }
  return most > 0 ? most : otherwise;
}

// Those of the nodes that are in a state.
std::vector<std::string> nodes_in(const std::vector<std::string>& nodes, const std::string& state) {
  std::vector<std::string> found =
      split(ask_slurm({"/usr/bin/sinfo", "--noheader", "--Node", "--all", "--states=" + state,
                       "--nodes=" + join(nodes, ","), "--format=%N"}),
            '\n');
  std::erase(found, "");
  // A node of several partitions has several lines.
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Slurm sets nodes down and their power off when their ResumeTimeout has passed. From 24.11 on,
// they would stay so.
void resume_those_off(const std::vector<std::string>& nodes) {
  const std::vector<std::string> off = nodes_in(nodes, "powered_down");
  const std::vector<std::string> down = off.empty() ? off : nodes_in(off, "down");
  if (down.empty()) return;
  run_checked({scontrol, "update", "nodename=" + join(down, ","), "state=resume"}, soon);
}

// From 24.11 on, nodes may become down only seconds later, when their job has gone, and Slurm may
// ignore the request until their ResumeTimeout.
void power_down_when_down(const std::vector<std::string>& nodes, std::chrono::seconds limit) {
  constexpr auto pause = 5s;
  const auto end = std::chrono::steady_clock::now() + limit;
  std::set<std::string> asked;
  while (true) {
    const std::vector<std::string> down = nodes_in(nodes, "down");
    if (down.empty() && nodes_in(nodes, "powering_up").empty()) return;
    std::vector<std::string> newly_down;
    for (const std::string& node : down) {
      if (asked.insert(node).second) newly_down.push_back(node);
    }
    if (!newly_down.empty()) {
      run_checked({scontrol, "update", "nodename=" + join(newly_down, ","), "state=power_down"},
                  soon);
    }
    if (!down.empty()) resume_those_off(down);
    if (std::chrono::steady_clock::now() > end) return;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

std::chrono::seconds longest_suspend_timeout(const std::string& partitions) {
  return std::chrono::seconds(longest(partitions, "SuspendTimeout=", 30));
}

std::chrono::seconds longest_resume_timeout(const std::string& partitions) {
  return std::chrono::seconds(longest(partitions, "ResumeTimeout=", 60));
}

std::string reason_for_slurm(std::string reason) {
  if (reason.size() > longest_reason) {
    size_t end = longest_reason;
    while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xc0) == 0x80)
      --end;                                 // keep UTF-8 sequences whole
    reason = reason.substr(0, end) + "...";  // sinfo prints it in any locale
  }
  std::ranges::replace_if(
      reason, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return reason;
}

void tell_slurm(const Failed& failed) {
  const std::vector<std::string> nodes = nodes_in(failed.nodes, "powering_up");
  if (nodes.empty()) return;
  ask_slurm({scontrol, "update", "nodename=" + join(nodes, ","), "state=down",
             "reason=" + reason_for_slurm(failed.reason)});
  const std::string partitions = ask_slurm({scontrol, "--oneliner", "show", "partition"});
  const std::chrono::seconds wait = longest_suspend_timeout(partitions);
  const std::chrono::seconds until_down = longest_resume_timeout(partitions) + 30s;
  const pid_t child = fork_child("a process");
  if (child > 0) return;
  // slurmctld kills the process group of its program when that ends.
  ::setsid();
  std::this_thread::sleep_for(wait);
  try {
    power_down_when_down(nodes, until_down);
  } catch (const Error&) {
    // slurmctld is gone; the nodes stay down, with their reason.
  }
  ::_exit(0);
}

}  // namespace slipway::node
