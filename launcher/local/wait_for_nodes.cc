// Waits until Slurm can use nodes.
#include "launcher/local/wait_for_nodes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/file.h"
#include "common/host_list.h"
#include "common/text.h"
#include "launcher/local/control.h"
#include "launcher/node/service_record.h"
#include "launcher/node/services.h"

namespace slipway::local {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// slurmctld has more to do than to answer while nodes register: the pause between two questions is
// so many times as long as an answer takes.
constexpr std::chrono::milliseconds shortest_pause = 20ms;
constexpr int pause_per_question = 4;
// sinfo asks a slurmctld that has ended for longer than that.
constexpr std::chrono::milliseconds longest_sinfo = 10s;

struct NodeState {
  std::string node, state;
  std::string reason;  // if it is down or drained; otherwise empty
};

// A line from sinfo: "n-0 drained disk is full", or "n-1 idle none".
std::optional<NodeState> parse_state(const std::string& line) {
  const size_t first = line.find(' ');
  if (first == line.npos) return std::nullopt;
  const size_t second = std::min(line.find(' ', first + 1), line.size());
  NodeState found{line.substr(0, first), line.substr(first + 1, second - first - 1),
                  std::string(trim(std::string_view(line).substr(second)))};
  if (found.reason == "none") found.reason.clear();
  return found;
}

// "n-[0-6] idle, n-7 drained (disk is full)"
std::string states_text(const std::string& sinfo) {
  std::map<std::string, std::vector<std::string>> by_state;
  for (const std::string& line : split(trim(sinfo), '\n')) {
    const auto found = parse_state(line);
    if (!found) continue;
    const std::string reason = found->reason.empty() ? "" : fmt::format(" ({})", found->reason);
    by_state[found->state + reason].push_back(found->node);
  }
  std::vector<std::string> words;
  for (const auto& [state, nodes] : by_state) words.push_back(host_list(nodes) + " " + state);
  return join(words, ", ");
}

// On the node, because the log is slurmctld's user's.
std::string last_output(const DeploymentFolder& folder, const std::string& controller) {
  NodeCommand tail;
  tail.argv = {"tail", "--lines=3", "/var/log/slurm/slurmctld.log"};
  return last_lines_of(run_on_node(folder, controller, tail, 5s).output, 3);
}

// Since 24.11, slurmctld listens, and so is taken for started, before it reads its configuration.
void throw_if_slurmctld_failed(const DeploymentFolder& folder, const std::string& controller) {
  const auto record = node::read_service_records(folder.log(controller))["slurmctld"];
  if (record.runs || !(record.how.starts_with("status ") || record.how.starts_with("signal ")))
    return;
  throw Error(fmt::format("node {}: /usr/sbin/slurmctld ended ({}); its output: {}", controller,
                          record.how, last_output(folder, controller)));
}

// Whether the node's own record agrees that slurmd runs. Right after another machine has taken a
// node's place, slurmctld may call it idle because of an answer of the old one's slurmd (seen with
// 26.05). A node whose image has an older Slipway has no record.
bool slurmd_may_run(const DeploymentFolder& folder, const std::string& node) {
  const auto records = node::read_service_records(folder.log(node));
  const auto record = records.find("slurmd");
  return record == records.end() || record->second.runs;
}

bool slurmd_listens(const DeploymentFolder& folder, const std::string& node) {
  NodeCommand read;
  read.argv = {"cat", "/proc/net/tcp"};
  const ProcessResult table = run_on_node(folder, node, read, 5s);
  return table.ok() && node::has_listener(table.output, node::slurmd_port);
}

// Whether the node's present slurmd has registered with slurmctld. The times are in whole seconds,
// and a slurmd that is about to end has not listened.
bool has_registered(const DeploymentFolder& folder, const std::string& node,
                    const std::map<std::string, int64_t>& starts) {
  const auto records = node::read_service_records(folder.log(node));
  if (records.empty()) return true;  // its image has an older Slipway
  const auto record = records.find("slurmd");
  const auto start = starts.find(node);
  if (record == records.end() || !record->second.runs || start == starts.end()) return false;
  // Whole seconds of a clock that the kernel advances every few milliseconds.
  return start->second >= std::chrono::system_clock::to_time_t(record->second.since - 10ms) &&
         slurmd_listens(folder, node);
}

std::string why_not(const DeploymentFolder& folder, const std::string& controller,
                    const ProcessResult& sinfo, const Deadline& deadline) {
  const std::string states = states_text(sinfo.output);
  return fmt::format("{}: {}; slurmctld's last output: {}", deadline.timeout_message("idle nodes"),
                     !states.empty()   ? states
                     : sinfo.timed_out ? "sinfo did not end"
                                       : fmt::format("sinfo failed: {}", trim(sinfo.errors)),
                     last_output(folder, controller));
}

}  // namespace

const std::set<std::string> usable_states = {"idle",       "allocated", "mixed",
                                             "completing", "planned",   "maint"};

std::map<std::string, int64_t> slurmd_starts(const std::string& scontrol) {
  std::map<std::string, int64_t> starts;
  for (const std::string& line : split(scontrol, '\n')) {
    std::string node;
    for (const std::string& word : split(line, ' ')) {
      constexpr std::string_view name = "NodeName=", start = "SlurmdStartTime=";
      if (node.empty() && word.starts_with(name)) node = word.substr(name.size());
      if (!word.starts_with(start)) continue;
      if (const auto time = to_number<int64_t>(word.substr(start.size())))
        starts.emplace(node, *time);
    }
  }
  return starts;
}

std::chrono::milliseconds Deadline::left() const {
  return std::max(0ms, std::chrono::duration_cast<std::chrono::milliseconds>(
                           end - std::chrono::steady_clock::now()));
}

void Deadline::renew() {
  end = Clock::now() + limit;
}

std::string Deadline::timeout_message(const std::string& what) const {
  return fmt::format("waited {} s for {}", limit.count(), what);
}

void wait_for_nodes(const DeploymentFolder& folder, const std::string& controller,
                    std::set<std::string> nodes, const std::set<std::string>& states,
                    Deadline deadline, const Interrupts& interrupts,
                    const std::function<void(size_t left)>& tell) {
  NodeCommand sinfo;
  sinfo.argv = {"sinfo", "--noheader", "--Node", "--format=%N %T %E"};
  ProcessResult answer;
  std::chrono::milliseconds pause = shortest_pause;
  while (!nodes.empty()) {
    throw_if_slurmctld_failed(folder, controller);
    if (deadline.left() <= 0ms) throw Error(why_not(folder, controller, answer, deadline));
    interrupts.wait(-1, pause);
    const auto asked = Clock::now();
    ProcessResult latest = run_on_node(folder, controller, sinfo,
                                       std::min(deadline.left(), longest_sinfo), &interrupts);
    pause = std::max(
        shortest_pause,
        pause_per_question * std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - asked));
    const size_t before = nodes.size();
    // At the deadline the last query is cut short: the answer before it says more.
    if (!latest.timed_out || answer.output.empty()) answer = std::move(latest);
    for (const std::string& line : split(answer.output, '\n')) {
      const auto found = parse_state(line);
      if (found && states.contains(found->state) && nodes.contains(found->node) &&
          slurmd_may_run(folder, found->node)) {
        nodes.erase(found->node);
      }
    }
    if (nodes.size() < before) deadline.renew();
    if (tell) tell(nodes.size());
  }
}

void wait_for_registration(const DeploymentFolder& folder, const std::string& controller,
                           std::set<std::string> nodes, const Deadline& deadline,
                           const Interrupts& interrupts) {
  constexpr auto pause = 100ms;
  while (!nodes.empty()) {
    NodeCommand scontrol;
    scontrol.argv = {"env",  "SLURM_TIME_FORMAT=%s", "scontrol", "--oneliner", "show",
                     "node", host_list(nodes)};
    const ProcessResult answer =
        run_on_node(folder, controller, scontrol, longest_sinfo, &interrupts);
    const auto starts = slurmd_starts(answer.output);
    std::erase_if(nodes,
                  [&](const std::string& node) { return has_registered(folder, node, starts); });
    if (nodes.empty()) return;
    if (deadline.left() <= 0ms) {
      throw Error(fmt::format("{}: {}; slurmctld's last output: {}",
                              deadline.timeout_message("slurmd to register"), host_list(nodes),
                              last_output(folder, controller)));
    }
    interrupts.wait(-1, pause);
  }
}

}  // namespace slipway::local
