// Tells Slurm why nodes could not be provided.
#include "launcher/node/reason.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
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

// A node that Slurm has powered down by itself by then, when its ResumeTimeout had passed, stays
// down until it is resumed (from 26.05 on).
void power_down_if_still_down(const std::vector<std::string>& nodes) {
  const std::vector<std::string> down = nodes_in(nodes, "down");
  if (down.empty()) return;
  run_checked({scontrol, "update", "nodename=" + join(down, ","), "state=power_down"}, soon);
  const std::vector<std::string> off = nodes_in(down, "powered_down");
  const std::vector<std::string> still_down = off.empty() ? off : nodes_in(off, "down");
  if (still_down.empty()) return;
  run_checked({scontrol, "update", "nodename=" + join(still_down, ","), "state=resume"}, soon);
}

}  // namespace

std::chrono::seconds longest_suspend_timeout(const std::string& partitions) {
  constexpr std::string_view key = "SuspendTimeout=";
  int longest = 0;
  for (size_t at = partitions.find(key); at != partitions.npos; at = partitions.find(key, at + 1)) {
    int seconds = 0;
    const char* const number = partitions.data() + at + key.size();
    std::from_chars(number, partitions.data() + partitions.size(), seconds);
    longest = std::max(longest, seconds);
  }
  return std::chrono::seconds(longest > 0 ? longest : 30);
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
  const std::chrono::seconds wait =
      longest_suspend_timeout(ask_slurm({scontrol, "--oneliner", "show", "partition"}));
  const pid_t child = fork_child("a process");
  if (child > 0) return;
  // slurmctld kills the process group of its program when that ends.
  ::setsid();
  std::this_thread::sleep_for(wait);
  try {
    power_down_if_still_down(nodes);
  } catch (const Error&) {
    // slurmctld is gone; the nodes stay down, with their reason.
  }
  ::_exit(0);
}

}  // namespace slipway::node
