// Fuzz target: what is read from a connection before the peer has proven who it is. Nobody without
// the key is believed, and what is shown of a peer is printable text.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/handshake.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace slipway;
  using fuzz::require;
  static const Secret key = random_secret();
  static const std::string greeting = make_greeting({1, "0"});
  static const std::string answer = make_answer(key, "fuzz", {1, "0"}, greeting, "a");
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  require(!check_answer(key, "fuzz", greeting, bytes), "nobody guesses an answer");
  require(!check_confirmation(key, "fuzz", greeting, answer, bytes), "nor a confirmation");
  // A valid answer with a part of it replaced is no longer valid.
  std::string changed = answer;
  for (size_t i = 0; i < std::min(size, changed.size()); ++i)
    changed[i] = static_cast<char>(changed[i] ^ data[i]);
  require(changed == answer || !check_answer(key, "fuzz", greeting, changed), "nor changes one");
  if (const auto speaker = speaker_of(bytes)) {
    require(std::ranges::all_of(speaker->version, [](char c) { return c >= ' ' && c <= '~'; }),
            "a version is text");
  }
  return 0;
}
