// Whose fault was it?
#include "launcher/job/blame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>

#include "common/text.h"
#include "launcher/health/kernel_log.h"

namespace slipway::job {
namespace {

// Those whose peer has died end within moments; who died by a signal then was first, whoever was
// heard first.
constexpr int64_t same_moment_ms = 2000;
constexpr size_t most_words = 400;

// A shell's: cannot be run, not found. 93 asks NVIDIA's ft_launcher for no restart, too.
constexpr std::array codes_for_ever = {93, 126, 127};

bool kills(int signal) {
  // What a program without a peer gives itself is SIGABRT or SIGTERM.
  constexpr std::array own = {SIGKILL, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  return std::ranges::find(own, signal) != own.end();
}

const RankEnd* first_of(const std::vector<RankEnd>& ends) {
  if (ends.empty()) return nullptr;
  for (const RankEnd& end : ends) {
    if (end.after_ms - ends.front().after_ms <= same_moment_ms && kills(end.signal)) return &end;
  }
  return &ends.front();
}

std::string_view last_line_of(std::string_view words) {
  const size_t at = words.rfind('\n');
  return trim(at == words.npos ? words : words.substr(at + 1));
}

// What Open MPI says stands between two lines of dashes, and the first line of it is what has
// happened.
std::string_view last_line(std::string_view words) {
  constexpr std::string_view rule = "----------";
  words = trim(words);
  const std::string_view line = last_line_of(words);
  if (!line.starts_with(rule)) return line;
  words = trim(words.substr(0, words.size() - line.size()));
  size_t begin = words.rfind(rule);
  begin = begin == words.npos ? 0 : begin + rule.size();
  const std::string_view said = trim(words.substr(begin));
  return trim(said.substr(0, said.find('\n')));
}

std::string how_it_ended(const RankEnd& end) {
  std::string text = fmt::format("rank {} on {} ", end.rank, end.node);
  text += end.signal != 0
              ? fmt::format("was ended by signal {} ({})", end.signal, ::strsignal(end.signal))
              : fmt::format("exited with status {}", end.code);
  const std::string_view line = last_line(end.words);
  if (!line.empty()) text += fmt::format(": {}", line.substr(0, most_words));
  return text;
}

void add_evidence(Verdict& verdict, const std::vector<NodeNote>& notes, const char* whose = "") {
  for (const NodeNote& note : notes) {
    verdict.evidence.push_back(fmt::format("{}: {}{}", note.node, whose, note.text));
  }
}

// "gpu_ecc GPU 5: 2 memory errors (reboot)", "NVRM: Xid (PCI:0000:3b:00): 79, …"
std::string detail_of(health::Cause cause, const std::string& text) {
  if (cause == health::Cause::xid) {
    const auto xid = health::parse_xid(text);
    return xid ? std::to_string(xid->number) : "";
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

// When everybody else is gone at once, it is we who are cut off.
bool is_cut_off(const Evidence& evidence) {
  const auto gone = static_cast<size_t>(std::ranges::count_if(
      evidence.gone, [&](const NodeNote& note) { return note.node != evidence.launcher_node; }));
  const auto others = static_cast<size_t>(std::ranges::count_if(
      evidence.nodes, [&](const std::string& node) { return node != evidence.launcher_node; }));
  return others >= 2 && gone >= others;
}

// What is wrong with most nodes is hardly their fault: a policy may be, or a driver.
bool is_of_most(const std::vector<NodeNote>& notes, const Evidence& evidence) {
  std::set<std::string> named;
  for (const NodeNote& note : notes) named.insert(note.node);
  return named.size() >= 2 && named.size() * 2 > evidence.nodes.size();
}

// The one node that is behind all the others.
std::string behind(const std::map<std::string, int64_t>& steps) {
  if (steps.size() < 2) return "";
  const auto least =
      std::ranges::min_element(steps, {}, [](const auto& node) { return node.second; });
  const auto as_low =
      std::ranges::count_if(steps, [&](const auto& node) { return node.second <= least->second; });
  return as_low == 1 ? least->first : "";
}

// What a task says whose peer or network has gone: the cause is elsewhere.
bool is_about_others(const std::string& message) {
  constexpr std::array signs = {"onnection reset",
                                "onnection refused",
                                "onnection closed",
                                "roken pipe",
                                "imed out",
                                "imeout",
                                "NCCL",
                                "gloo",
                                "ncclSystemError",
                                "ncclRemoteError",
                                "No route to host",
                                "peer"};
  return std::ranges::any_of(signs,
                             [&](const char* sign) { return message.find(sign) != message.npos; });
}

void judge_end(Verdict& verdict, const RankEnd& end) {
  verdict.what = end.signal != 0 ? "signal" : "exit";
  verdict.rank = end.rank;
  verdict.message = end.signal != 0 ? fmt::format("signal {}", end.signal)
                                    : fmt::format("status {}: {}", end.code, message_of(end.words));
  if (!is_about_others(verdict.message)) verdict.suspect = end.node;
  if (end.signal == 0 && std::ranges::find(codes_for_ever, end.code) != codes_for_ever.end()) {
    verdict.blame = Blame::application;
    verdict.for_ever = true;
  }
}

void judge_stall(Verdict& verdict, const Evidence& evidence) {
  verdict.what = "no progress";
  verdict.evidence.push_back(fmt::format("no progress for {} s", evidence.stalled_seconds));
  verdict.suspect = behind(evidence.steps);
  if (!verdict.suspect.empty()) {
    verdict.evidence.push_back(fmt::format("{} is behind, at step {}", verdict.suspect,
                                           evidence.steps.at(verdict.suspect)));
  }
  std::set<std::string> odd;
  for (const NodeNote& note : evidence.odd) odd.insert(note.node);
  if (verdict.suspect.empty() && odd.size() == 1) verdict.suspect = *odd.begin();
  verdict.message = "no progress";
}

bool failed_alike(const Verdict& verdict, const Verdict& last) {
  return verdict.message == last.message && verdict.what == last.what &&
         (verdict.rank == last.rank || verdict.what == "exit");
}

// What the same thing again says. In between the suspect was given other ranks, or taken out.
void compare_with_last(Verdict& verdict, const Evidence& evidence,
                       const std::vector<Verdict>& before) {
  if (verdict.blame != Blame::unknown || before.empty() || verdict.suspect.empty()) return;
  const Verdict& last = before.back();
  if (last.blame == Blame::node || last.suspect.empty()) return;
  const bool moved = verdict.suspect != last.suspect;
  const bool tells = moved || evidence.nodes.size() == 1 || last.blame == Blame::application;
  if (verdict.rank >= 0 && failed_alike(verdict, last) && tells) {
    verdict.blame = Blame::application;
    verdict.evidence.push_back(
        fmt::format("rank {} failed in the same way before, on {}", last.rank, last.suspect));
    return;
  }
  // Twice may be chance: one in as many as there are nodes.
  if (moved || before.size() < 2) return;
  const Verdict& earlier = before[before.size() - 2];
  const bool other_ranks = last.rank != verdict.rank || earlier.rank != verdict.rank;
  if (earlier.suspect != verdict.suspect || !other_ranks || evidence.nodes.size() < 3) return;
  verdict.blame = Blame::node;
  verdict.nodes = {verdict.suspect};
  accuse(verdict, {{verdict.suspect, ""}}, health::Cause::failures);
  verdict.evidence.push_back(
      fmt::format("the last three failures began on {}, with different ranks", verdict.suspect));
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

std::string message_of(const std::string& words) {
  std::string text;
  for (const char c : last_line(words)) {
    const bool digit =
        std::isxdigit(static_cast<unsigned char>(c)) != 0 &&
        (std::isdigit(static_cast<unsigned char>(c)) != 0 || (!text.empty() && text.back() == '#'));
    if (!digit) {
      text += c;
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text.substr(0, most_words);
}

Verdict judge(const Evidence& evidence, const std::vector<Verdict>& before) {
  Verdict verdict;
  const RankEnd* first = first_of(evidence.ends);
  if (first != nullptr) {
    judge_end(verdict, *first);
    verdict.evidence.push_back(how_it_ended(*first));
  } else if (evidence.stalled_seconds > 0) {
    judge_stall(verdict, evidence);
  }
  if (is_cut_off(evidence)) {
    verdict.what = "node gone";
    add_nodes(verdict, {{evidence.launcher_node, "all other nodes are gone from its view"}});
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
      add_evidence(verdict, evidence.health, "and most others: ");
    } else {
      verdict.what = "health";
      add_nodes(verdict, evidence.health);
      accuse(verdict, evidence.health, health::Cause::unfit);
    }
  }
  if (verdict.blame == Blame::node) {
    verdict.for_ever = false;
    verdict.suspect.clear();
  }
  compare_with_last(verdict, evidence, before);
  add_evidence(verdict, evidence.odd);
  if (evidence.broken.empty()) add_evidence(verdict, evidence.kernel, "kernel: ");
  return verdict;
}

}  // namespace slipway::job
