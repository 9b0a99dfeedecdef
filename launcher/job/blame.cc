// Decides whether a node or the application caused a failure.
#include "launcher/job/blame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "common/host_list.h"
#include "common/text.h"
#include "launcher/job/blame_ends.h"
#include "launcher/job/blame_repeats.h"
#include "launcher/job/kernel_log.h"

namespace slipway::job {
namespace {

constexpr size_t most_words = 400;

std::string how_it_ended(const RankEnd& end, const Diagnosis& diagnosis) {
  std::string text = fmt::format("rank {} on {} ", end.rank, end.node);
  text += end.signal != 0
              ? fmt::format("was killed by signal {} ({})", end.signal, ::strsignal(end.signal))
              : fmt::format("exited with status {}", end.code);
  if (!diagnosis.line.empty()) text += fmt::format(": {}", diagnosis.line.substr(0, most_words));
  return text;
}

// A line for each text, with all nodes that have it, in the order of the notes.
void add_evidence(Verdict& verdict, const std::vector<NodeNote>& notes, const char* whose = "") {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const NodeNote& note : notes) {
    auto known =
        std::ranges::find_if(lines, [&](const auto& one) { return one.first == note.text; });
    if (known == lines.end()) known = lines.insert(lines.end(), {note.text, {}});
    known->second.push_back(note.node);
  }
  for (const auto& [text, nodes] : lines) {
    verdict.evidence.push_back(fmt::format("{}: {}{}", names_of_nodes(nodes), whose, text));
  }
}

// Reads "gpu_ecc GPU 5: 2 memory errors (reboot)", "NVRM: Xid (PCI:0000:3b:00): 79, …" from the
// kernel log, and "NVML: Xid 79 of GPU 0000:3b:00.0".
std::string detail_of(health::Cause cause, const std::string& text) {
  if (cause == health::Cause::xid) {
    const auto number = xid_number_in(text);
    return number ? std::to_string(*number) : "";
  }
  return cause == health::Cause::unfit ? text.substr(0, text.find_first_of(" :")) : "";
}

void accuse(Verdict& verdict, const std::vector<NodeNote>& notes, health::Cause cause) {
  for (const NodeNote& note : notes) {
    const auto known = std::ranges::find(verdict.accusations, note.node, &Accusation::node);
    if (known != verdict.accusations.end()) continue;
    verdict.accusations.push_back({note.node, cause, detail_of(cause, note.text)});
  }
}

void add_nodes(Verdict& verdict, const std::vector<NodeNote>& notes) {
  verdict.blame = Blame::node;
  for (const NodeNote& note : notes) {
    if (std::ranges::find(verdict.nodes, note.node) == verdict.nodes.end()) {
      verdict.nodes.push_back(note.node);
    }
  }
  add_evidence(verdict, notes);
}

// If all other nodes are gone at once, it is the launcher's node that is cut off.
bool is_cut_off(const Evidence& evidence) {
  const auto gone = static_cast<size_t>(std::ranges::count_if(
      evidence.gone, [&](const NodeNote& note) { return note.node != evidence.launcher_node; }));
  const auto others = static_cast<size_t>(std::ranges::count_if(
      evidence.nodes, [&](const std::string& node) { return node != evidence.launcher_node; }));
  return others >= 2 && gone >= others;
}

// A fault that most nodes report is hardly theirs: a policy or a driver may be wrong.
bool is_of_most(const std::vector<NodeNote>& notes, const Evidence& evidence) {
  std::set<std::string> named;
  for (const NodeNote& note : notes) named.insert(note.node);
  return named.size() >= 2 && named.size() * 2 > evidence.nodes.size();
}

// Parts of many nodes do not break at the same time.
bool are_few(const std::vector<NodeNote>& notes, const Evidence& evidence) {
  return notes.size() == 1 || notes.size() * 4 <= evidence.nodes.size();
}

// The node with the lowest step; empty if several share it.
std::string slowest_node(const std::map<std::string, int64_t>& steps) {
  if (steps.size() < 2) return "";
  const auto least =
      std::ranges::min_element(steps, {}, [](const auto& node) { return node.second; });
  const auto as_low =
      std::ranges::count_if(steps, [&](const auto& node) { return node.second <= least->second; });
  return as_low == 1 ? least->first : "";
}

void judge_ends(Verdict& verdict, const ReadEnds& ends, const Evidence& evidence,
                const FailureWords& words) {
  const RankEnd& first = *ends.first;
  verdict.what = first.signal != 0 ? "signal" : "exit";
  verdict.rank = first.rank;
  verdict.signal = first.signal;
  verdict.message = ends.message;
  verdict.meaning = ends.diagnosis.meaning;
  verdict.origins = ends.origins;
  verdict.slot = ends.slot;
  verdict.slots = ends.slots;
  verdict.evidence.push_back(how_it_ended(first, ends.diagnosis));
  if (ends.agreed) {
    verdict.blame = Blame::application;
    verdict.evidence.push_back(
        fmt::format("{} of {} ranks failed the same way", ends.alike,
                    evidence.nodes.size() * static_cast<size_t>(evidence.tasks_per_node)));
  } else if (ends.origins.size() == 1) {
    verdict.suspect = ends.origins.front();
  }
  if (first.signal == 0 && words.is_permanent(first.code)) {
    verdict.blame = Blame::application;
    verdict.permanent = true;
  }
}

// A task reports that part of its node is broken. Broken parts do not follow a rank: if the same
// rank reported the same on another node, the program is wrong.
bool is_made_up(const Verdict& verdict, const std::vector<Verdict>& before) {
  return std::ranges::any_of(before, [&](const Verdict& other) {
    return other.what == "task report" && other.rank == verdict.rank &&
           other.message == verdict.message;
  });
}

void judge_stall(Verdict& verdict, const Evidence& evidence) {
  verdict.what = "no progress";
  verdict.evidence.push_back(fmt::format("no progress for {} s", evidence.stalled_seconds));
  verdict.suspect = slowest_node(evidence.steps);
  if (!verdict.suspect.empty()) {
    verdict.evidence.push_back(fmt::format("{} is behind, at step {}", verdict.suspect,
                                           evidence.steps.at(verdict.suspect)));
  }
  if (!evidence.ras.empty()) verdict.evidence.push_back(evidence.ras);
  std::set<std::string> odd;
  for (const NodeNote& note : evidence.odd) odd.insert(note.node);
  if (verdict.suspect.empty() && odd.size() == 1) verdict.suspect = *odd.begin();
  if (!verdict.suspect.empty()) verdict.origins = {verdict.suspect};
  verdict.message = "no progress";
}

// A hang, or what else was seen from outside: watch_judge.h.
void judge_watched(Verdict& verdict, const Evidence& evidence) {
  verdict.what = verdict.message = evidence.watched.what;
  verdict.evidence.push_back(evidence.watched.evidence);
  if (evidence.watched.nodes.size() == 1) verdict.suspect = evidence.watched.nodes.front();
  if (!verdict.suspect.empty()) verdict.origins = {verdict.suspect};
}

// Applies the first rule that blames nodes: docs/decisions/0030-blame-before-restart.md.
void blame_nodes(Verdict& verdict, const Evidence& evidence, const ReadEnds& ends,
                 const std::vector<Verdict>& before) {
  if (is_cut_off(evidence)) {
    verdict.what = "node gone";
    add_nodes(verdict, {{evidence.launcher_node, "lost contact with all other nodes"}});
  } else if (!evidence.gone.empty()) {
    verdict.what = "node gone";
    add_nodes(verdict, evidence.gone);
  } else if (!evidence.broken.empty()) {
    verdict.what = "health";
    add_nodes(verdict, evidence.broken);
    accuse(verdict, evidence.broken, health::Cause::xid);
  } else if (!evidence.held.empty()) {
    verdict.what = "health";
    add_nodes(verdict, evidence.held);
    accuse(verdict, evidence.held, health::Cause::held);
  } else if (!evidence.health.empty()) {
    if (verdict.what.empty()) verdict.what = "health";
    if (is_of_most(evidence.health, evidence)) {
      add_evidence(verdict, evidence.health, "most nodes report this: ");
    } else {
      verdict.what = "health";
      add_nodes(verdict, evidence.health);
      accuse(verdict, evidence.health, health::Cause::unfit);
    }
  } else if (!ends.broken.empty() && !ends.agreed && are_few(ends.broken, evidence) &&
             !is_made_up(verdict, before)) {
    verdict.what = "task report";
    add_nodes(verdict, ends.broken);
    accuse(verdict, ends.broken, health::Cause::task_report);
  } else if (evidence.watched_blames && evidence.watched.nodes.size() == 1) {
    verdict.blame = Blame::node;  // without evidence for root: a program may hang by itself
    verdict.nodes = evidence.watched.nodes;
  }
}

}  // namespace

const char* blame_name(Blame blame) {
  switch (blame) {
    case Blame::node:
      return "node";
    case Blame::application:
      return "application";
    case Blame::unknown:
      break;
  }
  return "unknown";
}

Verdict judge(const Evidence& evidence, const std::vector<Verdict>& before,
              const FailureWords& words) {
  Verdict verdict;
  verdict.places = evidence.nodes.size();
  const ReadEnds ends = read_ends(evidence, words);
  if (ends.first != nullptr) {
    judge_ends(verdict, ends, evidence, words);
  } else if (!evidence.watched.what.empty()) {
    judge_watched(verdict, evidence);
  } else if (evidence.stalled_seconds > 0) {
    judge_stall(verdict, evidence);
  }
  blame_nodes(verdict, evidence, ends, before);
  if (verdict.blame == Blame::node) {
    verdict.permanent = false;
    verdict.suspect.clear();
  }
  compare_with_before(verdict, evidence, before, words);
  add_evidence(verdict, evidence.odd);
  if (evidence.broken.empty()) add_evidence(verdict, evidence.kernel, "kernel: ");
  return verdict;
}

}  // namespace slipway::job
