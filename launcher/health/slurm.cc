// Drains, resumes and comments the node in Slurm, according to a verdict.
#include "launcher/health/slurm.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/health/machine.h"
#include "launcher/health/slurm_reasons.h"
#include "launcher/health/verdict.h"

namespace slipway::health {
namespace {

// The part of a reason that is for repair tools, " Action:Reboot"; may be empty.
std::string_view asked_for(std::string_view reason) {
  const size_t at = reason.rfind(" Action:");
  return at == reason.npos ? "" : reason.substr(at);
}

bool is_drained(const Slurm::NodeLine& line) {
  return line.state.starts_with("drain");
}

bool is_of_deep_checks(const Slurm::NodeLine& line) {
  return line.reason == waiting_reason || is_reason_of_deep_checks(line.reason);
}

// Drained while it was in service. Nodes that wait for their deep checks were not.
bool is_ours(const Slurm::NodeLine& line) {
  return is_drained(line) && is_own_reason(line.reason) && !is_of_deep_checks(line);
}

// A list of nodes as scontrol prints it; empty if it has none.
std::string given_list(std::string_view list) {
  return list == "(null)" ? "" : std::string(list);
}

// Whether slurmctld itself drained the node because our prolog or epilog failed. That drain is
// separate from ours, and may come after ours was lifted.
bool follows_ours(const Slurm::NodeLine& line, const History& history) {
  constexpr std::time_t longest = 15 * 60;  // slurmd may repeat it for this long
  const auto follows = [&](std::string_view reason, std::time_t failed) {
    return line.reason == reason && failed > 0 && line.since >= failed &&
           line.since <= failed + longest;
  };
  return is_drained(line) && (follows(prolog_failed, history.prolog_failed) ||
                              follows(epilog_failed, history.epilog_failed));
}

// Drains by Slurm itself that are over when the checks find nothing and nothing of the node's jobs
// is left.
bool is_over(const Slurm::NodeLine& line, Slurm& slurm) {
  // In state "draining", the node has a job that slurmctld knows.
  constexpr std::array reasons = {second_launch, unkillable_step, full_spool};
  return line.state == "drained" && std::ranges::find(reasons, line.reason) != reasons.end() &&
         !slurm.has_leftovers();
}

// Any of the node's lines: they differ only in the partition.
const Slurm::NodeLine* line_of_node(const std::vector<Slurm::NodeLine>& nodes,
                                    const std::string& node) {
  const auto found = std::ranges::find(nodes, node, &Slurm::NodeLine::node);
  return found == nodes.end() ? nullptr : &*found;
}

void set_comment(const std::string& text, const std::string& node, History& history, Slurm& slurm) {
  if (text == history.comment) return;
  slurm.comment(node, text);
  history.comment = text;
}

// For a node that is unfit and not yet drained.
Done drain(Verdict& verdict, const Policy& policy, History& history, Slurm& slurm,
           const std::vector<Slurm::NodeLine>& before) {
  std::string full = breaker_says(before, verdict.node, policy.breaker, verdict.time, false);
  if (full.empty()) {
    slurm.drain(verdict.node, reason_of(verdict));
    // Other nodes may have decided at the same time: if there are too many, the latest undo their
    // drains. Drains within the same second are ordered by name, so wait until all are visible.
    slurm.let_second_pass();
    full = breaker_says(slurm.nodes(), verdict.node, policy.breaker, verdict.time, true);
    if (full.empty()) {
      verdict.slurm = "drained";
      if (policy.deep_checks.at("return")) history.deep_checks_due = true;
      return {false};
    }
    slurm.resume(verdict.node);
  }
  verdict.slurm = "ALARM: not drained: " + full;
  set_comment(fmt::format("{}{}: {}", comment_prefix, verdict.slurm, reason_of(verdict)),
              verdict.node, history, slurm);
  return {};
}

// For a deep check of a node in the reservation: the breaker does not apply, as no job can have the
// node, and it would admit an unfit one.
Done act_in_reservation(Verdict& verdict, Slurm& slurm) {
  if (verdict.fit()) return {};
  slurm.drain(verdict.node, reason_of_deep_checks(verdict));
  verdict.slurm = "drained";
  return {false};
}

// For a fit node whose deep checks are due and that is not drained. Returns nothing if jobs may
// have it anyway.
std::optional<Done> hold_back(Verdict& verdict, History& history, Slurm& slurm) {
  if (slurm.is_reserved(verdict.node)) {
    verdict.slurm = "reserved for deep checks";
    return Done{slurm.checks_deeply()};
  }
  // The machine was started for a job, which has the node already.
  if (slurm.starts_on_demand(verdict.node)) {
    history.deep_checks_due = false;
    return std::nullopt;
  }
  slurm.drain(verdict.node, std::string(waiting_reason));
  verdict.slurm = "drained until its deep checks";
  return Done{false};
}

// For a fit node that is drained because of deep checks; the controller's service resumes it.
Done leave_to_deep_checks(Verdict& verdict, const Slurm::NodeLine& own) {
  verdict.slurm =
      own.reason == waiting_reason ? "drained until its deep checks" : "drained by its deep checks";
  return {false};
}

Done act_on(Verdict& verdict, const Policy& policy, History& history, Slurm& slurm) {
  if (verdict.stage == Stage::deep && slurm.is_reserved(verdict.node)) {
    return act_in_reservation(verdict, slurm);
  }
  const std::vector<Slurm::NodeLine> nodes = slurm.nodes();
  const Slurm::NodeLine* const own = line_of_node(nodes, verdict.node);
  if (own == nullptr) {
    verdict.slurm = "Slurm does not know this node";
    return {};
  }
  if (!verdict.fit()) {
    if (!is_drained(*own)) return drain(verdict, policy, history, slurm, nodes);
    // The finding may call for more by now, and repair tools read the reason.
    const std::string reason = reason_of(verdict);
    const bool waits = own->reason == waiting_reason;
    if (waits || (is_ours(*own) && asked_for(own->reason) != asked_for(reason))) {
      slurm.drain(verdict.node, reason);
    }
    verdict.slurm = is_own_reason(own->reason) ? "drained" : "already drained, not by Slipway";
    return {false};
  }
  const bool by_deep_checks = is_drained(*own) && is_of_deep_checks(*own);
  if (by_deep_checks && policy.deep_checks.any()) return leave_to_deep_checks(verdict, *own);
  if (history.deep_checks_due && !is_drained(*own)) {
    if (const auto done = hold_back(verdict, history, slurm)) return *done;
  }
  const bool by_us = is_ours(*own) || by_deep_checks;
  if (by_us || follows_ours(*own, history) || is_over(*own, slurm)) {
    if (history.clean_checks < policy.clean_checks) {
      verdict.slurm =
          fmt::format("drained by {}; {} of {} clean checks", by_us ? "Slipway" : "Slurm",
                      history.clean_checks, policy.clean_checks);
      return {};
    }
    if (history.deep_checks_due && !slurm.starts_on_demand(verdict.node)) {
      slurm.drain(verdict.node, std::string(waiting_reason));
      verdict.slurm = "drained until its deep checks";
      return {false};
    }
    slurm.resume(verdict.node);
    verdict.slurm = "resumed";
  }
  set_comment(comment_of(verdict), verdict.node, history, slurm);
  return {};
}

}  // namespace

std::vector<Slurm::NodeLine> parse_nodes(std::string_view text) {
  std::vector<Slurm::NodeLine> nodes;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, '|');
    if (words.size() < 5) continue;
    const std::vector<std::string> reason(words.begin() + 4, words.end());
    nodes.push_back({words[0], words[1], words[2], join(reason, "|"),
                     static_cast<std::time_t>(std::atoll(words[3].c_str()))});
  }
  return nodes;
}

std::string field_of(std::string_view text, std::string_view name) {
  for (const std::string& word : split(text, ' ')) {
    const size_t at = word.find('=');
    if (at != word.npos && std::string_view(word).substr(0, at) == name)
      return std::string(trim(std::string_view(word).substr(at + 1)));
  }
  return "";
}

std::string always_on_nodes(std::string_view config) {
  for (const std::string& line : split(config, '\n')) {
    const std::vector<std::string> words = split(line, '=');
    if (words.size() == 2 && trim(words[0]) == "SuspendExcNodes") return given_list(trim(words[1]));
  }
  return "";
}

std::optional<std::string> nodes_of_reservation(const ProcessResult& shown) {
  if (shown.ok()) return given_list(field_of(shown.output, "Nodes"));
  if ((shown.output + shown.errors).find("not found") != std::string::npos) return std::nullopt;
  throw Error(fmt::format("scontrol shows no reservations: {}", trim(shown.errors)));
}

ProcessOptions RealSlurm::until_end() const {
  ProcessOptions options;
  options.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(
      end_ - std::chrono::steady_clock::now());
  if (options.deadline.count() <= 0) throw Error("no time left to ask Slurm");
  return options;
}

std::string RealSlurm::call(const std::vector<std::string>& argv) const {
  return run_checked(argv, until_end());
}

bool RealSlurm::is_named(const std::string& node, const std::string& host_list) const {
  if (host_list.empty()) return false;
  const std::vector<std::string> names =
      split(call({"scontrol", "show", "hostnames", host_list}), '\n');
  return std::ranges::find(names, node) != names.end();
}

bool RealSlurm::is_reserved(const std::string& node) {
  const auto list = nodes_of_reservation(run_process(
      {"scontrol", "--oneliner", "show", "reservation", deep_reservation}, until_end()));
  return list && is_named(node, *list);
}

bool RealSlurm::checks_deeply() {
  // A field without text that users choose, but for the reservation's name, which only
  // administrators can give.
  if (job_.empty()) return false;
  return trim(call({"squeue", "--noheader", "--jobs=" + job_, "--Format=Reservation:100"})) ==
         deep_reservation;
}

bool RealSlurm::starts_on_demand(const std::string& node) {
  const std::string states =
      call({"sinfo", "--noheader", "--Node", "--nodes=" + node, "--Format=StateComplete:200"});
  if (to_lower(states).find("cloud") == states.npos) return false;
  return !is_named(node, always_on_nodes(call({"scontrol", "show", "config"})));
}

void RealSlurm::update(const std::string& node, const std::string& what,
                       const std::string& why) const {
  std::vector<std::string> argv = {"scontrol", "update", "NodeName=" + node, what};
  if (!why.empty()) argv.push_back(why);
  call(argv);
}

std::vector<Slurm::NodeLine> RealSlurm::nodes() {
  ::setenv("SLURM_TIME_FORMAT", "%s", 1);
  return parse_nodes(call({"sinfo", "--noheader", "--Node", "--all", "--format=%N|%R|%T|%H|%E"}));
}

void RealSlurm::drain(const std::string& node, const std::string& reason) {
  update(node, "State=DRAIN", "Reason=" + reason);
}

void RealSlurm::resume(const std::string& node) {
  update(node, "State=RESUME");
}

void RealSlurm::comment(const std::string& node, const std::string& text) {
  update(node, "Comment=" + text);
}

bool RealSlurm::has_leftovers() {
  const Machine machine;
  return !machine.daemons({"slurmstepd"}).empty() || machine.has_unkillable();
}

void RealSlurm::let_second_pass() {
  // Leave some of the time for the calls that still follow.
  const auto latest = end_ - std::chrono::seconds(1);
  std::this_thread::sleep_until(
      std::min(std::chrono::steady_clock::now() + std::chrono::milliseconds(1100), latest));
}

std::string breaker_says(const std::vector<Slurm::NodeLine>& nodes, const std::string& node,
                         const Breaker& breaker, std::time_t now, bool already) {
  std::set<std::string> partitions;
  std::time_t own_since = now;
  for (const Slurm::NodeLine& line : nodes) {
    if (line.node != node) continue;
    partitions.insert(line.partition);
    own_since = line.since;
  }
  const auto window = static_cast<std::time_t>(breaker.minutes * 60);
  for (const std::string& partition : partitions) {
    int total = 0, before = 0;
    for (const Slurm::NodeLine& line : nodes) {
      if (line.partition != partition) continue;
      ++total;
      if (line.node == node || !is_ours(line) || line.since < now - window) continue;
      const bool earlier =
          std::pair(line.since, line.node) < std::pair(own_since, std::string(node));
      before += !already || earlier ? 1 : 0;
    }
    const int limit = std::max(breaker.nodes, static_cast<int>(std::floor(breaker.share * total)));
    if (before >= limit) {
      return fmt::format(
          "Slipway already drained {} of {} nodes in partition {} within {:g} minutes", before,
          total, partition, breaker.minutes);
    }
  }
  return "";
}

bool concerns_slurm(const Verdict& verdict, const History& history) {
  const bool of_a_job = verdict.stage == Stage::prolog || verdict.stage == Stage::epilog;
  return !of_a_job || !verdict.fit() || history.deep_checks_due ||
         comment_of(verdict) != history.comment;
}

Done act(Verdict& verdict, const Policy& policy, History& history, Slurm& slurm) {
  try {
    return act_on(verdict, policy, history, slurm);
  } catch (const Error& error) {
    verdict.slurm = fmt::format("nothing done in Slurm: {}", error.what());
    // Our own failures keep no job from starting, but neither do they show that a node has passed.
    if (verdict.stage == Stage::deep) return {verdict.fit(), false};
    return {!history.deep_checks_due, false};
  }
}

}  // namespace slipway::health
