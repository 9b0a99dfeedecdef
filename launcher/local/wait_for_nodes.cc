// Waiting until Slurm can use nodes.
#include "launcher/local/wait_for_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/local/control.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;

std::string why_not(const DeploymentFolder& folder, const std::string& controller,
                    const ProcessResult& sinfo, const Deadline& deadline) {
  const std::string states = join(split(trim(sinfo.output), '\n'), ", ");
  return fmt::format("{}: {}; slurmctld said last: {}", deadline.too_late("idle nodes"),
                     !states.empty()   ? states
                     : sinfo.timed_out ? "sinfo did not end"
                                       : fmt::format("sinfo failed: {}", trim(sinfo.errors)),
                     last_words(folder.log(controller) / "slurmctld.log", 2));
}

}  // namespace

std::chrono::milliseconds Deadline::left() const {
  return std::max(0ms, std::chrono::duration_cast<std::chrono::milliseconds>(
                           end - std::chrono::steady_clock::now()));
}

std::string Deadline::too_late(const std::string& what) const {
  return fmt::format("waited {} s for {}", limit.count(), what);
}

void wait_for_nodes(const DeploymentFolder& folder, const std::string& controller,
                    std::set<std::string> nodes, const std::set<std::string>& states,
                    const Deadline& deadline, const Interrupts& interrupts) {
  NodeCommand sinfo;
  sinfo.argv = {"sinfo", "--noheader", "--Node", "--format=%N %T"};
  ProcessResult answer;
  while (!nodes.empty()) {
    if (deadline.left() <= 0ms) throw Error(why_not(folder, controller, answer, deadline));
    interrupts.wait(-1, 20ms);
    ProcessResult latest = run_on_node(folder, controller, sinfo, deadline.left(), &interrupts);
    // At the deadline the last question is cut short: the answer before it says more.
    if (!latest.timed_out || answer.output.empty()) answer = std::move(latest);
    for (const std::string& line : split(answer.output, '\n')) {
      const size_t blank = line.find(' ');
      if (blank != line.npos && states.contains(line.substr(blank + 1))) {
        nodes.erase(line.substr(0, blank));
      }
    }
  }
}

}  // namespace slipway::local
