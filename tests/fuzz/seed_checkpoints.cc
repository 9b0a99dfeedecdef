// Writes messages of fast checkpoints to a folder, as seeds for the fuzzer: seed_checkpoints FOLDER
#include <fmt/core.h>

#include <filesystem>
#include <string>

#include "common/file.h"
#include "launcher/checkpoint/messages.h"

using namespace slipway;
using namespace slipway::checkpoint;

namespace {

std::filesystem::path folder;
int number = 0;

// `reader` is the selector in checkpoints_fuzz.cc.
void seed(char reader, const std::string& bytes) {
  write_file(folder / fmt::format("checkpoint-{:02}", number++), reader + bytes);
}

// A message of a node, as lead() in checkpoints_fuzz.cc reads it.
std::string from(char node, const FromKeeper& message) {
  const std::string bytes = encode(message);
  return std::string{node, static_cast<char>(bytes.size())} + bytes;
}

}  // namespace

int main(int, char** arguments) {
  folder = arguments[1];
  std::filesystem::create_directories(folder);
  const std::string digest(digest_bytes, 'd');
  for (const ToKeeper& each : std::initializer_list<ToKeeper>{
           Copy{1, 20, digest, {{"b", 4000}}}, Restore{2, 20, {{1, digest, {{"b", 4000}}}}},
           Retire{20, -1, -1, -1}, TurnOff{}, Write{{"/d", 20, "7.1"}, {{1, digest}}},
           Publish{{"/d", 20, "7.1"}, {digest}}, Find{2, "/d", 20}})
    seed(0, encode(each));
  for (const FromKeeper& each : std::initializer_list<FromKeeper>{
           Open{4000, 1000, "spine.leaf"}, Kept{1, 0, 20, 10, digest}, Missing{1, 0, 20, "no"},
           Restored{1, -1, "no"}, Notice{"text"}, Off{"no"}, Written{1, 20, ""},
           Published{1, 20, ""}, Found{1, 20, {digest}, "7", ""}})
    seed(1, encode(each));
  for (const PeerMessage& each : std::initializer_list<PeerMessage>{
           Want{1, 20, digest}, Manifest{{"a"}, {{"a/b", 5, digest}, {"c", 0, digest}}},
           Piece{"bytes"}, Refusal{"no"}})
    seed(2, encode(each));
  std::string job;
  for (const char node : {0, 1, 2}) job += from(node, Open{4000 + node, 1000, ""});
  for (const char node : {0, 1, 2}) job += from(node, Restored{1, -1, ""});
  for (const char node : {0, 1, 2}) job += from(node, Kept{1, node, 20, 10, digest});
  for (const char node : {0, 1, 2}) job += from(node, Kept{1, (node + 2) % 3, 20, 10, digest});
  seed(3, job);
  seed(3, job + std::string("\xfb\0\xff\0", 4) + from(0, Restored{2, 20, ""}) +
              from(1, Restored{2, 20, ""}));
}
