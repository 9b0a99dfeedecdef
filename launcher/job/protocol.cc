// The fields of each message, in the order in which they are sent, with their limits.
#include "launcher/job/protocol.h"

#include <limits>

#include "common/encoding.h"
#include "common/text.h"
#include "launcher/checkpoint/messages.h"

namespace slipway::job {
namespace {

constexpr int64_t largest_number = std::numeric_limits<int64_t>::max();
constexpr int64_t most_port = 65535;
constexpr int64_t most_signal = 64, most_status = std::numeric_limits<int32_t>::max();
constexpr int64_t most_lines = int64_t{1} << 40;  // in what an agent reads at once
constexpr size_t longest_name = 1024, longest_note = 65536, longest_output = size_t{1} << 20;
constexpr size_t longest_word = size_t{2} << 20;  // longer than Linux accepts: execve(2)
constexpr size_t most_values = 65536, most_nodes = 65536, most_notes = 65536;

void rank(auto& a, auto& value) {
  a.number(value, 0, most_ranks - 1);
}
void ranks(auto& a, auto& values) {
  a.list(values, most_ranks, [](auto& b, auto& value) { rank(b, value); });
}
void names(auto& a, auto& values) {
  a.list(values, most_nodes, [](auto& b, auto& value) { b.word(value, longest_name); });
}
void words(auto& a, auto& values) {
  a.list(values, most_values, [](auto& b, auto& value) { b.word(value, longest_word); });
}
void notes(auto& a, auto& values) {
  a.list(values, most_notes, [](auto& b, auto& value) { b.text(value, longest_note); });
}
void variables(auto& a, auto& values) {
  a.variables(values, most_values, longest_word);
}
void pmix_status(auto& a, auto& value) {
  a.number(value, -most_status - 1, most_status);
}

}  // namespace

void fields(auto& a, Is<PmixFence> auto& m) {
  ranks(a, m.ranks);
  a.bytes(m.bytes, most_pmix_bytes);
}
void fields(auto& a, Is<PmixWant> auto& m) {
  rank(a, m.rank);
  a.number(m.ask, 0, largest_number);
}
void fields(auto& a, Is<PmixHave> auto& m) {
  a.word(m.node, longest_name);
  a.number(m.ask, 0, largest_number);
  pmix_status(a, m.status);
  a.bytes(m.bytes, most_pmix_bytes);
}
void fields(auto& a, Is<PmixNone> auto& m) {
  a.text(m.text, longest_note);
}
void fields(auto& a, Is<PmixFenced> auto& m) {
  ranks(a, m.ranks);
  pmix_status(a, m.status);
  a.bytes(m.bytes, most_pmix_bytes);
}
void fields(auto& a, Is<PmixGet> auto& m) {
  rank(a, m.rank);
  a.number(m.ask, 0, largest_number);
  a.word(m.node, longest_name);
}
void fields(auto& a, Is<PmixGot> auto& m) {
  a.number(m.ask, 0, largest_number);
  pmix_status(a, m.status);
  a.bytes(m.bytes, most_pmix_bytes);
}

void fields(auto& a, Is<PmixWorld> auto& m) {
  a.word(m.name, longest_name);
  names(a, m.nodes);
  a.number(m.node, 0, most_nodes - 1);
  a.number(m.tasks_per_node, 1, most_ranks);
}
void fields(auto& a, Is<PmixRelease> auto& m) {
  rank(a, m.rank);
}
void fields(auto& a, Is<PmixReady> auto& m) {
  a.list(m.variables, most_values, [](auto& b, auto& value) { variables(b, value); });
}
void fields(auto& a, Is<PmixAbort> auto& m) {
  rank(a, m.rank);
  pmix_status(a, m.status);
  a.text(m.text, longest_note);
}

void fields(auto& a, Is<PmixLog> auto& m) {
  rank(a, m.rank);
  a.number(m.stream, 1, 2);
  a.text(m.text, longest_note);
}

void fields(auto&, Is<LauncherBeat> auto&) {}
void fields(auto& a, Is<StartedTask> auto& m) {
  rank(a, m.rank);
  variables(a, m.set);
}
void fields(auto& a, Is<Start> auto& m) {
  a.number(m.attempt, 1, largest_number);
  words(a, m.command);
  variables(a, m.set);
  words(a, m.set_to_nodes);
  words(a, m.unset);
  a.list(m.tasks, most_values, [](auto& b, auto& value) { fields(b, value); });
  fields(a, m.pmix);
  a.number(m.watch_ms, 0, 3'600'000);
}
void fields(auto& a, Is<Stop> auto& m) {
  a.number(m.grace_ms, 0, 3'600'000);
}
void fields(auto& a, Is<Signal> auto& m) {
  a.number(m.number, 1, most_signal);
}
void fields(auto& a, Is<Requeue> auto& m) {
  a.word(m.job, longest_name);
  names(a, m.bad);
  a.text(m.comment, longest_note);
}
void fields(auto& a, Is<Report> auto& m) {
  a.word(m.job, longest_name);
  a.number(m.attempt, 1, largest_number);
  a.choice(m.cause, health::Cause::task_report);
  a.text(m.detail, longest_note);
}
void fields(auto& a, Is<PmixOrder> auto& m) {
  a.number(m.attempt, 1, largest_number);
  a.one_of(m.body);
}
void fields(auto& a, Is<CheckpointOrder> auto& m) {
  a.bytes(m.bytes, checkpoint::longest_order);
}
void fields(auto&, Is<End> auto&) {}

void fields(auto& a, Is<RankStep> auto& m) {
  rank(a, m.rank);
  a.number(m.step, 0, largest_number);
  a.number(m.saved, 0, largest_number);
}
void fields(auto& a, Is<Beat> auto& m) {
  a.number(m.attempt, 0, largest_number);
  a.list(m.steps, most_values, [](auto& b, auto& value) { fields(b, value); });
}
void fields(auto& a, Is<TaskText> auto& m) {
  rank(a, m.rank);
  a.number(m.stream, 1, 2);
  a.bytes(m.bytes, longest_output);
}
void fields(auto& a, Is<Ended> auto& m) {
  a.number(m.attempt, 1, largest_number);
  rank(a, m.rank);
  a.number(m.code, 0, 255);
  a.number(m.signal, 0, most_signal);
  a.flag(m.by_agent);
  a.text(m.last_output, longest_note);
}
void fields(auto& a, Is<RankNote> auto& m) {
  rank(a, m.rank);
  a.text(m.text, longest_note);
}
void fields(auto& a, Is<Stopped> auto& m) {
  a.number(m.attempt, 0, largest_number);
  a.list(m.odd, most_notes, [](auto& b, auto& value) { fields(b, value); });
  notes(a, m.held);
  notes(a, m.kernel);
  notes(a, m.broken);
  notes(a, m.health);
}
void fields(auto& a, Is<Energy> auto& m) {
  a.number(m.attempt, 0, largest_number);
  a.optional(m.joules, [](auto& b, auto& value) { b.real(value); });
}
void fields(auto& a, Is<Health> auto& m) {
  a.number(m.attempt, 0, largest_number);
  notes(a, m.reasons);
}
void fields(auto& a, Is<StepSignal> auto& m) {
  a.number(m.number, 1, most_signal);
}
void fields(auto& a, Is<PmixNews> auto& m) {
  a.number(m.attempt, 0, largest_number);
  a.one_of(m.body);
}
void fields(auto& a, Is<Refused> auto& m) {
  a.text(m.text, longest_note);
}
void fields(auto& a, Is<Ports> auto& m) {
  a.number(m.port, 1, most_port);
  a.number(m.second, 1, most_port);
}
void fields(auto& a, Is<RankSample> auto& m) {
  rank(a, m.rank);
  a.real(m.cpu_seconds);
  a.number(m.output_bytes, 0, largest_number);
  a.number(m.file_bytes, 0, largest_number);
  a.number(m.state, 0, 127);
  a.word(m.waits_in, longest_name);
  a.number(m.gpu_percent, -1, 100);
}
void fields(auto& a, Is<RankCollective> auto& m) {
  a.word(m.communicator, longest_name);
  rank(a, m.rank);
  a.number(m.ranks, 1, most_ranks);
  a.number(m.sequence, 0, largest_number);
  a.real(m.microseconds);
  a.real(m.gb_per_second);
  a.word(m.function, longest_name);
  a.number(m.bytes, 0, largest_number);
  a.real(m.start_microseconds);
  a.number(m.stands_for, 1, largest_number);
  a.flag(m.has_ended);
}
void fields(auto& a, Is<Watched> auto& m) {
  a.number(m.attempt, 1, largest_number);
  a.real(m.sent_microseconds);
  a.list(m.samples, most_values, [](auto& b, auto& value) { fields(b, value); });
  a.list(m.collectives, most_values, [](auto& b, auto& value) { fields(b, value); });
  a.number(m.unread.count, 0, most_lines);
  a.text(m.unread.first, longest_name);
}

void fields(auto& a, Is<CheckpointNews> auto& m) {
  a.bytes(m.bytes, checkpoint::longest_order);
}

void fields(auto& a, Is<AskRas> auto& m) {
  a.number(m.attempt, 1, largest_number);
}
void fields(auto& a, Is<RasSaid> auto& m) {
  a.number(m.attempt, 1, largest_number);
  a.flag(m.answered);
  notes(a, m.findings);
}

Speaker this_program() {
  return {protocol_number, SLIPWAY_VERSION};
}

Start with_lists_of_nodes(Start start) {
  for (const std::string& name : start.set_to_nodes) start.set[name] = join(start.pmix.nodes, ",");
  return start;
}

std::string encode(const ToAgent& message) {
  return encode_message(message);
}
std::string encode(const ToLauncher& message) {
  return encode_message(message);
}
std::string encode(const ToPmixServer& message) {
  return encode_message(message);
}
std::string encode(const FromPmixServer& message) {
  return encode_message(message);
}

template <>
ToAgent decode(std::string_view bytes) {
  return decode_message<ToAgent>(bytes);
}
template <>
ToLauncher decode(std::string_view bytes) {
  return decode_message<ToLauncher>(bytes);
}
template <>
ToPmixServer decode(std::string_view bytes) {
  return decode_message<ToPmixServer>(bytes);
}
template <>
FromPmixServer decode(std::string_view bytes) {
  return decode_message<FromPmixServer>(bytes);
}

}  // namespace slipway::job
