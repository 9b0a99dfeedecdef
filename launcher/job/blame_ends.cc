// Finds where a failure began, and whether most tasks failed alike.
#include "launcher/job/blame_ends.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

#include "launcher/job/last_output.h"

namespace slipway::job {
namespace {

// Tasks whose peer has died end within moments. Among those, the task that a signal killed was
// first, whatever the order in which their ends arrived.
constexpr int64_t same_moment_ms = 2000;

struct Reading {
  const RankEnd* end = nullptr;
  Diagnosis diagnosis = {};
  std::string message = {};
  int weight = 0;  // the heavier, the less likely another end caused it
};

bool kills(int signal) {
  // A program that lost its peer ends itself with SIGABRT or SIGTERM.
  constexpr std::array own = {SIGKILL, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  return std::ranges::find(own, signal) != own.end();
}

int weight_of(const RankEnd& end, Meaning meaning) {
  constexpr int killed = 100;
  if (meaning == Meaning::node) return killed + 1;
  if (kills(end.signal)) return killed;
  if (meaning >= Meaning::own) return static_cast<int>(meaning) + 1;
  // A silent exit may have been first; a silent signal that the task sent itself means a lost peer.
  return meaning == Meaning::silence && end.signal == 0 ? 2 : 1;
}

Reading read(const RankEnd& end, const FailureWords& words) {
  Reading reading;
  reading.end = &end;
  reading.diagnosis = words.diagnose(end.last_output);
  reading.message =
      end.signal != 0 ? fmt::format("signal {}", end.signal) : fmt::format("status {}", end.code);
  if (!reading.diagnosis.message.empty()) reading.message += ": " + reading.diagnosis.message;
  reading.weight = weight_of(end, reading.diagnosis.meaning);
  return reading;
}

void find_origins(ReadEnds& ends, const std::vector<Reading>& moment, const Reading& first) {
  if (first.diagnosis.meaning == Meaning::peer) return;
  std::set<std::string> nodes;
  for (const Reading& each : moment) {
    if (each.weight >= first.weight) nodes.insert(each.end->node);
  }
  ends.origins.assign(nodes.begin(), nodes.end());
}

void find_agreement(ReadEnds& ends, const std::vector<Reading>& all, const Reading& first,
                    const Evidence& evidence, const FailureWords& words) {
  std::set<std::string> nodes;
  for (const Reading& each : all) {
    if (!words.are_alike(each.message, first.message)) continue;
    ++ends.alike;
    nodes.insert(each.end->node);
  }
  const size_t ranks = evidence.nodes.size() * static_cast<size_t>(evidence.tasks_per_node);
  const bool most = ends.alike * 2 >= ranks;
  // Without output, only a status that all ranks share is evidence.
  const bool conclusive = first.diagnosis.meaning == Meaning::silence
                              ? ends.alike == ranks
                              : first.diagnosis.meaning != Meaning::peer;
  ends.agreed = most && conclusive && nodes.size() >= 2;
}

void find_slot(ReadEnds& ends, const Evidence& evidence) {
  if (evidence.tasks_per_node > 1) {
    ends.slot = ends.first->rank % evidence.tasks_per_node;
    ends.slots = evidence.tasks_per_node;
  } else if (const auto rank = torch_local_rank(ends.first->last_output)) {
    ends.slot = *rank;
    ends.slots = *rank + 1;
  }
}

}  // namespace

ReadEnds read_ends(const Evidence& evidence, const FailureWords& words) {
  ReadEnds ends;
  std::vector<Reading> all;
  for (const RankEnd& end : evidence.ends) all.push_back(read(end, words));
  const auto note = [&](const RankEnd& end, const Diagnosis& diagnosis) {
    if (diagnosis.meaning != Meaning::node) return;
    const auto known = std::ranges::find(ends.broken, end.node, &NodeNote::node);
    if (known == ends.broken.end()) ends.broken.push_back({end.node, diagnosis.line});
  };
  for (const Reading& each : all) note(*each.end, each.diagnosis);
  for (const RankEnd& each : evidence.stopped) note(each, words.diagnose(each.last_output));
  if (all.empty()) return ends;
  std::vector<Reading> moment;
  for (const Reading& each : all) {
    if (each.end->after_ms - all.front().end->after_ms <= same_moment_ms) moment.push_back(each);
  }
  const Reading& first = *std::ranges::max_element(moment, {}, &Reading::weight);
  ends.first = first.end;
  ends.diagnosis = first.diagnosis;
  ends.message = first.message;
  find_slot(ends, evidence);
  find_origins(ends, moment, first);
  find_agreement(ends, all, first, evidence, words);
  return ends;
}

}  // namespace slipway::job
