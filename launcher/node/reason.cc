// Telling Slurm why nodes could not be had.
#include "launcher/node/reason.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::node {
namespace {

constexpr const char* scontrol = "/usr/bin/scontrol";

void put_off_those_still_down(const std::vector<std::string>& nodes) {
  std::vector<std::string> down =
      split(run_checked({"/usr/bin/sinfo", "--noheader", "--Node", "--states=down",
                         "--nodes=" + join(nodes, ","), "--format=%N"}),
            '\n');
  std::erase(down, "");
  if (down.empty()) return;
  run_checked({scontrol, "update", "nodename=" + join(down, ","), "state=power_down"});
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

void tell_slurm(const Failed& failed) {
  std::string reason = failed.reason;
  std::ranges::replace(reason, '\n', ' ');
  run_checked({scontrol, "update", "nodename=" + join(failed.nodes, ","), "state=down",
               "reason=" + reason});
  const std::chrono::seconds wait =
      longest_suspend_timeout(run_checked({scontrol, "--oneliner", "show", "partition"}));
  const pid_t child = ::fork();
  if (child < 0) throw_errno("fork");
  if (child > 0) return;
  // slurmctld ends the process group of its program.
  ::setsid();
  std::this_thread::sleep_for(wait);
  try {
    put_off_those_still_down(failed.nodes);
  } catch (const Error&) {
    // slurmctld is gone; the nodes stay down, with their reason.
  }
  ::_exit(0);
}

}  // namespace slipway::node
