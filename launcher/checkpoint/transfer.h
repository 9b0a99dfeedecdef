// Copies a step from one keeper to another, over a connection that both have proven.
//
// The receiver asks for a step by its digest. Everything that it accepts leads to exactly that
// step: the manifest has the digest, and each file has the digest that the manifest gives it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/fd.h"
#include "common/handshake.h"
#include "common/secret.h"
#include "common/tcp.h"
#include "launcher/checkpoint/messages.h"
#include "launcher/checkpoint/step_files.h"

namespace slipway::checkpoint {

inline constexpr std::string_view keeper_purpose = "slipway checkpoints";

// Sends and receives messages, and waits for each at most `patience`.
class PeerChannel {
 public:
  // `socket` is connected and non-blocking.
  PeerChannel(Fd socket, std::chrono::milliseconds patience);

  // Both throw Error: the peer is gone, silent, or sends what is not a message.
  void send(const PeerMessage& message);
  PeerMessage receive();

  // The same for pieces, without copying their bytes. SIGPIPE has to be ignored.
  void send(const FilePiece& piece);
  // Receives a piece of exactly this size to `into`; anything else is returned.
  std::optional<PeerMessage> receive_piece(char* into, size_t size_bytes);

 private:
  std::string receive_rest(std::string head, size_t length, Deadline deadline);

  Fd socket_;
  std::chrono::milliseconds patience_;
};

// Connects to a keeper, and proves that this is the keeper of `node`. Throws Error.
Fd connect_to_keeper(const Source& where, const Secret& key, const std::string& node,
                     const Speaker& own, std::chrono::milliseconds patience);

// A step that can be served: its folder, and what is in it.
struct ServedStep {
  std::filesystem::path folder;
  std::shared_ptr<const Manifest> manifest;
};

// Answers one Want. `find` returns no manifest if this node does not have the step. Throws Error.
void serve_step(PeerChannel& peer, const std::function<ServedStep(const Want&)>& find);

// Hears what a step has before anything of it is written. Returns files to write over, and may
// throw.
using Admit = std::function<WrittenOver(const Manifest&)>;

// Gets a step into a new folder. Throws Error, and MemoryFull; the folder then has to be removed.
Manifest fetch_step(PeerChannel& peer, const Want& want, const std::filesystem::path& folder,
                    const Admit& admit, const Cancelled& cancelled);

}  // namespace slipway::checkpoint
