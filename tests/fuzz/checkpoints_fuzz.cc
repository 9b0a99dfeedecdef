// Fuzz target: messages of fast checkpoints. Bytes are a message that encodes to the same bytes, or
// an error; a manifest that is accepted names only files below its folder; and whatever keepers
// report, the launcher's board stays consistent.
#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.h"
#include "launcher/checkpoint/board.h"
#include "launcher/checkpoint/step_files.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/message.h"

namespace {

using namespace slipway;
using namespace slipway::checkpoint;
using fuzz::read;
using fuzz::require;

void check_paths(const PeerMessage& message) {
  const auto* manifest = std::get_if<Manifest>(&message);
  if (manifest == nullptr) return;
  try {
    check_manifest(*manifest);
  } catch (const Error&) {
    return;
  }
  for (const StepFile& file : manifest->files) {
    const std::filesystem::path path = file.path;
    require(path.is_relative() && path.lexically_normal() == path, "a path stays below its step");
    for (const auto& part : path) require(part != "..", "a path stays below its step");
  }
  require(size_of(*manifest) >= 0, "sizes do not overflow");
}

// The bytes are messages with a node before each and their length after that.
void lead(std::string_view bytes) {
  const std::vector<std::string> nodes = {"a", "b", "c"};
  Board board(1, {"/d", 10, "7"});
  board.begin(1, {nodes, 1});
  int64_t attempt = 1;
  while (bytes.size() > 2) {
    const auto node = static_cast<uint8_t>(bytes[0]);
    const std::string_view message = bytes.substr(2, static_cast<uint8_t>(bytes[1]));
    bytes.remove_prefix(2 + message.size());
    if (node == 255) {
      board.begin(++attempt, {nodes, 1});
    } else if (node > 250) {
      board.gone(nodes[node % 3]);
    } else if (const auto news = read(decode<FromKeeper>, message)) {
      try {
        board.heard(nodes[node % 3], *news);
      } catch (const Error&) {
        // The launcher drops the node.
      }
    }
    for (const Order& each : board.orders()) encode(each.message);
    board.news();
    require(board.restored_step() >= -1, "what is restored is a step");
  }
}

}  // namespace

// The first byte selects the reader.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read(decode<ToKeeper>, bytes);
      break;
    case 1:
      read(decode<FromKeeper>, bytes);
      break;
    case 2:
      if (const auto message = read(decode<PeerMessage>, bytes)) check_paths(*message);
      break;
    case 3:
      lead(bytes);
      break;
  }
  return 0;
}
