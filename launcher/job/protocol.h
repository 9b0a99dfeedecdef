// All messages between a job's launcher, its agents and their PMIx servers, and their encoding.
// docs/decisions/0039-links-prove-themselves.md gives the reasons.
//
// Increase protocol_number with every change here or in protocol.cc. Both sides have the same
// number, so nothing is optional, and anything that does not match exactly is an error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/handshake.h"
#include "launcher/checkpoint/messages.h"
#include "launcher/health/job_report.h"
#include "launcher/job/rank_sample.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

inline constexpr uint32_t protocol_number = 12;
Speaker this_program();

// For std::visit.
template <class... Functions>
struct Overloads : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloads(Functions...) -> Overloads<Functions...>;

// --- between PMIx servers, through the launcher: launcher/job/pmix_exchange.h

// A node's ranks have reached a fence of `ranks` (rising; empty: all), with their data.
struct PmixFence {
  std::vector<int64_t> ranks;
  std::string bytes;
};
// Asks for the data of a rank on another node; the answer has the same `ask`.
struct PmixWant {
  int64_t rank = 0;
  int64_t ask = 0;
};
// The answer to a PmixGet, for the server of `node`.
struct PmixHave {
  std::string node;
  int64_t ask = 0;
  int64_t status = 0;
  std::string bytes;
};
// This node has lost its server.
struct PmixNone {
  std::string text;
};
using PmixFromNode = std::variant<PmixFence, PmixWant, PmixHave, PmixNone>;

struct PmixFenced {
  std::vector<int64_t> ranks;
  int64_t status = 0;
  std::string bytes;
};
// `node` asks for the data of one of the receiver's ranks.
struct PmixGet {
  int64_t rank = 0;
  int64_t ask = 0;
  std::string node;
};
// The answer to a PmixWant.
struct PmixGot {
  int64_t ask = 0;
  int64_t status = 0;
  std::string bytes;
};
using PmixToNode = std::variant<PmixFenced, PmixGet, PmixGot>;

// --- between an agent and its PMIx server

struct PmixWorld {
  std::string name;                // the namespace: a new one for each attempt
  std::vector<std::string> nodes;  // in the order of their ranks
  int64_t node = 0;                // the receiver
  int64_t tasks_per_node = 1;
};
struct PmixRelease {  // lets a rank that aborted continue
  int64_t rank = 0;
};
using ToPmixServer = std::variant<PmixWorld, PmixRelease, PmixFenced, PmixGet, PmixGot>;

struct PmixReady {
  std::vector<Variables> variables;  // of each local rank
};
struct PmixAbort {  // the rank waits until it is released
  int64_t rank = 0;
  int64_t status = 0;
  std::string text;
};
struct PmixLog {  // a rank's message, which it prints through the server, as Open MPI 5 does
  int64_t rank = 0;
  int64_t stream = 2;  // or 1
  std::string text;
};
using FromPmixServer =
    std::variant<PmixReady, PmixAbort, PmixNone, PmixFence, PmixWant, PmixHave, PmixLog>;

// --- from the launcher to an agent

struct LauncherBeat {};  // the launcher is alive
struct StartedTask {
  int64_t rank = 0;
  Variables set;
};
struct Start {
  int64_t attempt = 0;
  std::vector<std::string> command;
  Variables set;  // for all tasks
  // Also set, to the names in pmix.nodes, with commas: long values, of which one is enough here.
  std::vector<std::string> set_to_nodes;
  std::vector<std::string> unset;
  std::vector<StartedTask> tasks;
  PmixWorld pmix;
  int64_t watch_ms = 0;  // between two messages about what the tasks do; 0: none
};
// As the agent uses it: `set` has what set_to_nodes names.
Start with_lists_of_nodes(Start start);
struct Stop {
  int64_t grace_ms = 0;  // between SIGTERM and SIGKILL
};
struct Signal {  // for the tasks
  int64_t number = 0;
};
struct Requeue {  // requeue the job without the bad nodes
  std::string job;
  std::vector<std::string> bad;
  std::string comment;
};
struct Report {  // for root's health checks: the node is blamed
  std::string job;
  int64_t attempt = 0;
  health::Cause cause = health::Cause::failures;
  std::string detail;
};
struct PmixOrder {
  int64_t attempt = 0;
  PmixToNode body;
};
struct CheckpointOrder {  // for the node's keeper: launcher/checkpoint/messages.h
  std::string bytes;
};
struct End {};   // the job is over
struct AskRas {  // NCCL's service, for the ranks that it misses: common/nccl_ras.h
  int64_t attempt = 0;
};
using ToAgent = std::variant<LauncherBeat, Start, Stop, Signal, Requeue, Report, PmixOrder, End,
                             CheckpointOrder, AskRas>;

// --- from an agent to the launcher

struct RankStep {
  int64_t rank = 0;
  int64_t step = 0;
  int64_t saved = 0;  // step_file.h
};
struct Beat {  // the agent is alive; steps that changed
  int64_t attempt = 0;
  std::vector<RankStep> steps;
};
struct TaskText {
  int64_t rank = 0;
  int64_t stream = 1;  // or 2
  std::string bytes;
};
struct Ended {  // a task ended
  int64_t attempt = 0;
  int64_t rank = 0;
  int64_t code = 0;
  int64_t signal = 0;
  bool by_agent = false;    // the agent ended it
  std::string last_output;  // condensed: last_output.h
};
struct RankNote {
  int64_t rank = 0;
  std::string text;
};
struct Stopped {  // all tasks have ended; the node's evidence
  int64_t attempt = 0;
  std::vector<RankNote> odd;  // processes that were stopped or stuck
  std::vector<std::string> held, kernel, broken, health;
};
struct Energy {
  int64_t attempt = 0;
  std::optional<double> joules;  // empty: unknown
};
struct Health {  // why the node is unfit, while tasks run
  int64_t attempt = 0;
  std::vector<std::string> reasons;
};
struct StepSignal {  // Slurm ends the step with this signal
  int64_t number = 0;
};
struct PmixNews {
  int64_t attempt = 0;
  PmixFromNode body;
};
struct Refused {  // Slurm did not requeue the job
  std::string text;
};
struct Ports {  // free on this node, for the first rank of an attempt: port_offers.h
  int64_t port = 0, second = 0;
};
struct Watched {  // what the node's ranks do, for watch_judge.h
  int64_t attempt = 0;
  double sent_microseconds = 0;  // since 1970, by the node's clock
  std::vector<RankSample> samples;
  std::vector<RankCollective> collectives;
  UnreadLines unread;
};
struct CheckpointNews {  // from the node's keeper: launcher/checkpoint/messages.h
  std::string bytes;
};
struct RasSaid {  // the answer to AskRas
  int64_t attempt = 0;
  bool answered = false;
  std::vector<std::string> findings;  // ras_findings()
};
using ToLauncher = std::variant<Beat, TaskText, Ended, Stopped, Energy, Health, StepSignal,
                                PmixNews, Refused, Ports, Watched, CheckpointNews, RasSaid>;

// --- as bytes

// The most data that one rank may send for a fence or to another rank.
inline constexpr size_t most_pmix_bytes = size_t{60} << 20;
// The longest encoded message.
inline constexpr size_t longest_message = size_t{64} << 20;
using checkpoint::most_ranks;

// Cuts texts for people that are too long. Throws Error if anything else exceeds its limit.
std::string encode(const ToAgent& message);
std::string encode(const ToLauncher& message);
std::string encode(const ToPmixServer& message);
std::string encode(const FromPmixServer& message);

// Throws Error unless `bytes` are exactly what encode() produces for a message.
template <class Message>
Message decode(std::string_view bytes);
template <>
ToAgent decode(std::string_view bytes);
template <>
ToLauncher decode(std::string_view bytes);
template <>
ToPmixServer decode(std::string_view bytes);
template <>
FromPmixServer decode(std::string_view bytes);

}  // namespace slipway::job
