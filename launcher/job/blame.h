// Decides who caused a failure, from what all nodes reported, before anything restarts.
//
// docs/decisions/0030-blame-before-restart.md gives the reasons for the rules.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launcher/health/job_report.h"
#include "launcher/job/failure_words.h"
#include "launcher/job/watch_judge.h"

namespace slipway::job {

// A task that ended, by itself or stopped by its agent.
struct RankEnd {
  int64_t rank = 0;
  std::string node;
  int code = 0, signal = 0;
  int64_t after_ms = 0;     // from the attempt's start until the launcher learned of it
  std::string last_output;  // condensed: last_output.h
};

struct NodeNote {
  std::string node, text;
};

struct Evidence {
  std::vector<std::string> nodes;  // of the attempt, in the order of their ranks
  std::string launcher_node;       // where the launcher runs
  int64_t tasks_per_node = 1;
  std::vector<RankEnd> ends;             // with an error, in the order in which they arrived
  std::vector<RankEnd> stopped;          // stopped by their agents, with output
  std::vector<NodeNote> gone;            // nodes that went silent, in that order
  std::vector<NodeNote> held;            // processes that could not be killed
  std::vector<NodeNote> kernel;          // lines from the nodes' kernel logs
  std::vector<NodeNote> broken;          // those that take a node out of service
  std::vector<NodeNote> health;          // why nodes are unfit, from `slipway health`
  std::vector<NodeNote> odd;             // processes that were stopped, or stuck in the kernel
  std::map<std::string, int64_t> steps;  // the lowest step of a node's tasks; only of nodes that
                                         // report steps
  int64_t stalled_seconds = 0;           // without progress; 0: not the reason
  std::string ras = {};                  // what NCCL says of the ranks then; may be empty
  WatchFinding watched = {};             // that ended the attempt; no `what`: not the reason
  bool watched_blames = false;           // its nodes are to blame
  bool progressed = false;               // the attempt got further than any before it
};

// A report for the health checks on a blamed node that is still up.
struct Accusation {
  std::string node;
  health::Cause cause = health::Cause::failures;
  std::string detail = {};
};

enum class Blame { node, application, unknown };
const char* blame_name(Blame blame);

struct Verdict {
  std::string what = {};  // "exit", "signal", "node gone", "no progress", "health", "task report"
  Blame blame = Blame::unknown;
  std::vector<std::string> nodes = {};     // that are blamed
  std::string suspect = {};                // where it began, if nothing is blamed; "" if unknown
  int64_t times = 1;                       // how often in a row it began there
  bool undecided = false;                  // a few more attempts can settle it
  int64_t rank = -1;                       // the first that failed; -1: none
  int signal = 0;                          // that ended it
  std::string message = {};                // how it failed, without details that vary between runs
  Meaning meaning = Meaning::silence;      // of its output
  std::vector<std::string> origins = {};   // nodes where it may have begun
  int64_t slot = -1, slots = 1;            // its slot on the node, out of so many
  size_t places = 1;                       // nodes where it could have begun
  bool permanent = false;                  // another attempt would fail too
  std::vector<std::string> evidence = {};  // for people
  std::vector<Accusation> accusations = {};  // one per blamed node that is still up
};

// `before` are the verdicts on earlier failures of the job, oldest first.
Verdict judge(const Evidence& evidence, const std::vector<Verdict>& before,
              const FailureWords& words);

}  // namespace slipway::job
