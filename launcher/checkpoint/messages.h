// The messages of fast checkpoints, and their encoding: between a job's launcher and the keepers on
// its nodes, and between two keepers. docs/decisions/0250-checkpoints-in-other-nodes-memory.md
// gives the reasons.
//
// Launcher, agents and keepers are of one version, which the handshake of each connection proves.
// Increase job::protocol_number with every change here or in messages.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace slipway::checkpoint {

// --- from the launcher to a keeper

struct Source {  // another keeper
  std::string node;
  int64_t port = 0;
};
// Get a rank's step from one of these, and hold it.
struct Copy {
  int64_t rank = 0, step = 0;
  std::string digest;
  std::vector<Source> sources;  // the best first
};
struct RestoredRank {
  int64_t rank = 0;
  std::string digest;
  std::vector<Source> sources;
};
// Before an attempt: the folders of these ranks, which will run on this node, get exactly this
// step; -1: nothing. All other steps go.
struct Restore {
  int64_t attempt = 0;
  int64_t step = -1;
  std::vector<RestoredRank> ranks;
  std::string folder = {};  // on disk, with the step; empty: other keepers have it
  int64_t parts = 0;        // there; rank 7 gets the part of rank 1 if there are 6
};
// Steps before `below` go, except two: the step `except`, and the step that nodes write to disk,
// which makes room for newer ones if it has to; -1: no exception. `complete` is the newest step
// that counts, for programs that ask; -1: none.
struct Retire {
  int64_t below = 0;
  int64_t except = -1;
  int64_t writing = -1;
  int64_t complete = -1;
};
// A step on disk: launcher/checkpoint/disk.h.
struct DiskStep {
  std::string folder;  // of all steps
  int64_t step = 0;
  std::string writer;  // JOB.ATTEMPT
};
// Write these ranks' parts of a step.
struct Write {
  struct Part {
    int64_t rank = 0;
    std::string digest;
  };
  DiskStep to;
  std::vector<Part> parts;
};
// All parts are written.
struct Publish {
  DiskStep to;
  std::vector<std::string> digests;  // of all ranks
};
// Look for the newest step on disk before `below`.
struct Find {
  int64_t attempt = 0;
  std::string folder;
  int64_t below = 0;
};
// Hold nothing more, and remove what comes.
struct TurnOff {};
using ToKeeper = std::variant<Copy, Restore, Retire, TurnOff, Write, Publish, Find>;

// --- from a keeper to the launcher

struct Open {
  int64_t port = 0;
  int64_t most_bytes = 0;  // that it holds
  std::string block;       // of the network's topology; may be empty
};
// This node has a rank's step: its own, or a copy.
struct Kept {
  int64_t attempt = 0;
  int64_t rank = 0, step = 0;
  int64_t size_bytes = 0;
  std::string digest;
};
// This node does not have it, or could not get it.
struct Missing {
  int64_t attempt = 0;
  int64_t rank = 0, step = 0;
  std::string why;
};
struct Restored {
  int64_t attempt = 0;
  int64_t step = -1;
  std::string trouble;  // empty: everything is in its place
};
// Something that the user has to know, such as a folder that cannot be a step.
struct Notice {
  std::string text;
};
// This node cannot take part (any longer).
struct Off {
  std::string why;
};
// The answers to Write, Publish and Find; `trouble` is empty if it worked.
struct Written {
  int64_t attempt = 0;
  int64_t step = 0;
  std::string trouble;
};
struct Published {
  int64_t attempt = 0;
  int64_t step = 0;
  std::string trouble;
};
struct Found {
  int64_t attempt = 0;
  int64_t step = -1;                 // -1: none
  std::vector<std::string> digests;  // of all ranks
  std::string job;                   // that wrote it
  std::string trouble;               // with newer steps, too
};
using FromKeeper =
    std::variant<Open, Kept, Missing, Restored, Notice, Off, Written, Published, Found>;

// --- between two keepers: one Want, then a Manifest and the pieces of its files in their order, or
// a Refusal

struct Want {
  int64_t rank = 0, step = 0;
  std::string digest;
};
struct StepFile {
  std::string path;  // relative to the step's folder
  int64_t size_bytes = 0;
  std::string digest;
};
// What a step consists of; both lists rise strictly.
struct Manifest {
  std::vector<std::string> folders;
  std::vector<StepFile> files;
};
struct Piece {
  std::string bytes;
};
struct Refusal {
  std::string why;
};
using PeerMessage = std::variant<Want, Manifest, Piece, Refusal>;

// --- as bytes

inline constexpr size_t digest_bytes = 16;
// Every piece of a file but the last has this size.
inline constexpr size_t piece_bytes = size_t{1} << 20;
inline constexpr size_t longest_path = 4095, most_files = 65536;
// Ranks are less than this.
inline constexpr int64_t most_ranks = int64_t{1} << 24;
// The longest encoded messages; a manifest may be as long as an order.
inline constexpr size_t longest_order = size_t{16} << 20;

// Cuts texts for people that are too long. Throws Error if anything else exceeds its limit.
std::string encode(const ToKeeper& message);
std::string encode(const FromKeeper& message);
std::string encode(const PeerMessage& message);
// What precedes the bytes in the encoding of a piece.
std::string head_of_piece(size_t size_bytes);

// Throws Error unless `bytes` are exactly what encode() produces for a message.
template <class Message>
Message decode(std::string_view bytes);
template <>
ToKeeper decode(std::string_view bytes);
template <>
FromKeeper decode(std::string_view bytes);
template <>
PeerMessage decode(std::string_view bytes);

}  // namespace slipway::checkpoint
