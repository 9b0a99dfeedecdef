// The fields of each message, in the order in which they are sent, with their limits.
#include "launcher/checkpoint/messages.h"

#include <limits>

#include "common/encoding.h"
#include "common/error.h"

namespace slipway::checkpoint {
namespace {

constexpr int64_t largest_number = std::numeric_limits<int64_t>::max();
constexpr int64_t most_port = 65535;
constexpr size_t longest_name = 1024, longest_note = 4096;
constexpr size_t piece_length_bytes = 4;  // as in common/encoding.h
constexpr size_t most_sources = 64, most_ranks_of_node = 4096;

void rank_of(auto& a, auto& value) {
  a.number(value, 0, most_ranks - 1);
}
void step_of(auto& a, auto& value) {
  a.number(value, 0, largest_number);
}
void step_or_none(auto& a, auto& value) {
  a.number(value, -1, largest_number);
}
void attempt_of(auto& a, auto& value) {
  a.number(value, 0, largest_number);
}
// The only lengths are 0 and that of a digest; 0 has no meaning, and nothing has it.
void digest_field(auto& a, auto& value) {
  a.bytes(value, digest_bytes);
  if (value.size() != digest_bytes) throw Error("a digest of another length");
}
void digest_list(auto& a, auto& values) {
  a.list(values, most_ranks, [](auto& b, auto& value) { digest_field(b, value); });
}
void source_list(auto& a, auto& values) {
  a.list(values, most_sources, [](auto& b, auto& value) {
    b.word(value.node, longest_name);
    b.number(value.port, 1, most_port);
  });
}

}  // namespace

void fields(auto& a, Is<Copy> auto& m) {
  rank_of(a, m.rank);
  step_of(a, m.step);
  digest_field(a, m.digest);
  source_list(a, m.sources);
}
void fields(auto& a, Is<RestoredRank> auto& m) {
  rank_of(a, m.rank);
  digest_field(a, m.digest);
  source_list(a, m.sources);
}
void fields(auto& a, Is<Restore> auto& m) {
  attempt_of(a, m.attempt);
  step_or_none(a, m.step);
  a.list(m.ranks, most_ranks_of_node, [](auto& b, auto& value) { fields(b, value); });
  a.word(m.folder, longest_path);
  a.number(m.parts, 0, most_ranks);
}
void fields(auto& a, Is<Retire> auto& m) {
  step_of(a, m.below);
  step_or_none(a, m.except);
  step_or_none(a, m.writing);
  step_or_none(a, m.complete);
}
void fields(auto&, Is<TurnOff> auto&) {}
void fields(auto& a, Is<DiskStep> auto& m) {
  a.word(m.folder, longest_path);
  step_of(a, m.step);
  a.word(m.writer, longest_name);
}
void fields(auto& a, Is<Write> auto& m) {
  fields(a, m.to);
  a.list(m.parts, most_ranks_of_node, [](auto& b, auto& value) {
    rank_of(b, value.rank);
    digest_field(b, value.digest);
  });
}
void fields(auto& a, Is<Publish> auto& m) {
  fields(a, m.to);
  digest_list(a, m.digests);
}
void fields(auto& a, Is<Find> auto& m) {
  attempt_of(a, m.attempt);
  a.word(m.folder, longest_path);
  step_of(a, m.below);
}

void fields(auto& a, Is<Open> auto& m) {
  a.number(m.port, 1, most_port);
  a.number(m.most_bytes, 0, largest_number);
  a.word(m.block, longest_name);
}
void fields(auto& a, Is<Kept> auto& m) {
  attempt_of(a, m.attempt);
  rank_of(a, m.rank);
  step_of(a, m.step);
  a.number(m.size_bytes, 0, largest_number);
  digest_field(a, m.digest);
}
void fields(auto& a, Is<Missing> auto& m) {
  attempt_of(a, m.attempt);
  rank_of(a, m.rank);
  step_of(a, m.step);
  a.text(m.why, longest_note);
}
void fields(auto& a, Is<Restored> auto& m) {
  attempt_of(a, m.attempt);
  step_or_none(a, m.step);
  a.text(m.trouble, longest_note);
}
void fields(auto& a, Is<Notice> auto& m) {
  a.text(m.text, longest_note);
}
void fields(auto& a, Is<Off> auto& m) {
  a.text(m.why, longest_note);
}

void fields(auto& a, Is<Written> auto& m) {
  attempt_of(a, m.attempt);
  step_of(a, m.step);
  a.text(m.trouble, longest_note);
}
void fields(auto& a, Is<Published> auto& m) {
  attempt_of(a, m.attempt);
  step_of(a, m.step);
  a.text(m.trouble, longest_note);
}
void fields(auto& a, Is<Found> auto& m) {
  attempt_of(a, m.attempt);
  step_or_none(a, m.step);
  digest_list(a, m.digests);
  a.word(m.job, longest_name);
  a.text(m.trouble, longest_note);
}

void fields(auto& a, Is<Want> auto& m) {
  rank_of(a, m.rank);
  step_of(a, m.step);
  digest_field(a, m.digest);
}
void fields(auto& a, Is<StepFile> auto& m) {
  a.word(m.path, longest_path);
  a.number(m.size_bytes, 0, largest_number);
  digest_field(a, m.digest);
}
void fields(auto& a, Is<Manifest> auto& m) {
  a.list(m.folders, most_files, [](auto& b, auto& value) { b.word(value, longest_path); });
  a.list(m.files, most_files, [](auto& b, auto& value) { fields(b, value); });
}
void fields(auto& a, Is<Piece> auto& m) {
  a.bytes(m.bytes, piece_bytes);
}
void fields(auto& a, Is<Refusal> auto& m) {
  a.text(m.why, longest_note);
}

std::string encode(const ToKeeper& message) {
  return encode_message(message);
}
std::string encode(const FromKeeper& message) {
  return encode_message(message);
}
std::string encode(const PeerMessage& message) {
  return encode_message(message);
}

std::string head_of_piece(size_t size_bytes) {
  std::string head = encode(PeerMessage(Piece{}));
  for (size_t i = 1, rest = size_bytes; i <= piece_length_bytes; ++i, rest >>= 8)
    head[head.size() - i] = static_cast<char>(rest & 0xff);
  return head;
}

template <>
ToKeeper decode(std::string_view bytes) {
  return decode_message<ToKeeper>(bytes);
}
template <>
FromKeeper decode(std::string_view bytes) {
  return decode_message<FromKeeper>(bytes);
}
template <>
PeerMessage decode(std::string_view bytes) {
  return decode_message<PeerMessage>(bytes);
}

}  // namespace slipway::checkpoint
