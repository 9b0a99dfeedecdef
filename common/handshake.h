// How two programs of one user prove to each other over TCP that they have the same key, before
// either reads anything else. docs/decisions/0039-links-prove-themselves.md has the reasons.
//
//   who listens    greeting: magic, protocol, version, nonce                       64 bytes
//   who connects   answer: the same of its own, its claim, and its proof          352 bytes
//   who listens    confirmation: its proof                                         32 bytes
//
// A proof is an HMAC by the key over the purpose, the side, the greeting and the answer before it:
// nobody can use it in another conversation, for another claim, or for the other side. The frames
// stay as they are in every version, so that any two versions can say that they differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/secret.h"

namespace slipway {

// Who speaks: what its messages are, and the version that a person knows.
struct Speaker {
  uint32_t protocol = 0;
  std::string version;
};

inline constexpr size_t greeting_bytes = 64, answer_bytes = 352, confirmation_bytes = secret_bytes;
inline constexpr size_t longest_claim = 255;

// With a new nonce.
std::string make_greeting(const Speaker& own);
// Nothing when it is not one.
std::optional<Speaker> speaker_of(std::string_view greeting);

// `purpose` is what the connection is for, the same on both sides. `claim` is who connects, such as
// a node's name; Error when it is too long.
std::string make_answer(const Secret& key, std::string_view purpose, const Speaker& own,
                        std::string_view greeting, std::string_view claim);

struct Proven {
  Speaker speaker;
  std::string claim;
};
// Nothing unless it answers this greeting and its sender has the key.
std::optional<Proven> check_answer(const Secret& key, std::string_view purpose,
                                   std::string_view greeting, std::string_view answer);

std::string make_confirmation(const Secret& key, std::string_view purpose,
                              std::string_view greeting, std::string_view answer);
bool check_confirmation(const Secret& key, std::string_view purpose, std::string_view greeting,
                        std::string_view answer, std::string_view confirmation);

}  // namespace slipway
