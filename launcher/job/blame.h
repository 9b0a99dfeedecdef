// Whose fault was it? Decided from what all nodes have told, before anything is started again.
//
// docs/decisions/0030-blame-before-restart.md says why the rules are these.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launcher/health/job_report.h"
#include "launcher/job/failure_words.h"

namespace slipway::job {

// A task that ended by itself, not because it was told to.
struct RankEnd {
  int64_t rank = 0;
  std::string node;
  int code = 0, signal = 0;
  int64_t after_ms = 0;  // since the attempt began, as the launcher has heard it
  std::string words;     // what it said last on stderr
};

struct NodeNote {
  std::string node, text;
};

struct Evidence {
  std::vector<std::string> nodes;  // of the attempt, in the order of their ranks
  std::string launcher_node;       // where the launcher runs
  int64_t tasks_per_node = 1;
  std::vector<RankEnd> ends;             // with an error, in the order in which they were heard
  std::vector<RankEnd> stopped;          // that were told to end, and wrote something
  std::vector<NodeNote> gone;            // nodes that are not heard of any more, in their order
  std::vector<NodeNote> held;            // processes that could not be killed
  std::vector<NodeNote> kernel;          // lines of the nodes' kernels
  std::vector<NodeNote> broken;          // of these, what takes a node out of service
  std::vector<NodeNote> health;          // why nodes are unfit, as `slipway health` has it
  std::vector<NodeNote> odd;             // processes that were stopped or held by the kernel
  std::map<std::string, int64_t> steps;  // the lowest step of a node's tasks; who reports none is
                                         // not in it
  int64_t stalled_seconds = 0;           // without progress; 0: that was not the reason
  bool progressed = false;               // the attempt came further than all before it
};

// What root's checks are told about a node that is blamed and still there.
struct Accusation {
  std::string node;
  health::Cause cause = health::Cause::failures;
  std::string detail = {};
};

enum class Blame { node, application, unknown };
const char* blame_name(Blame blame);

struct Verdict {
  std::string what = {};  // "exit", "signal", "node gone", "no progress", "health", "words"
  Blame blame = Blame::unknown;
  std::vector<std::string> nodes = {};  // that are blamed
  std::string suspect = {};  // the node where it began, when nobody is blamed; "" when not known
  int64_t times = 1;         // how often in a row it began there
  bool undecided = false;    // a few more attempts can prove it
  int64_t rank = -1;         // the first that failed; -1: none
  int signal = 0;            // that ended it
  std::string message = {};  // how it failed, without what differs from run to run
  Meaning meaning = Meaning::silence;        // of its last words
  std::vector<std::string> origins = {};     // nodes where it may have begun
  int64_t slot = -1, slots = 1;              // its place on the node, among so many
  size_t places = 1;                         // nodes where it could have begun
  bool for_ever = false;                     // another attempt cannot end otherwise
  std::vector<std::string> evidence = {};    // for people
  std::vector<Accusation> accusations = {};  // of blamed nodes, one each; none of those gone
};

// `before` are the verdicts of earlier failures of the job, the last one last.
Verdict judge(const Evidence& evidence, const std::vector<Verdict>& before,
              const FailureWords& words);

}  // namespace slipway::job
