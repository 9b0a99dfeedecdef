// A handshake over TCP: two programs of the same user prove to each other that they have the same
// key, before either reads anything else. docs/decisions/0039-links-prove-themselves.md says why.
//
//   listener    greeting: magic, protocol, version, nonce                               64 bytes
//   connector   answer: its own magic, protocol, version, nonce, its claim, its proof  352 bytes
//   listener    confirmation: its proof                                                 32 bytes
//
// A proof is an HMAC by the key over the purpose, the side, the greeting and the answer: it cannot
// be reused on another connection, for another claim, or by the other side. The frames never
// change, so that any two versions can tell each other that they differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/secret.h"

namespace slipway {

// One side: the protocol number of its messages, and its version for people.
struct Speaker {
  uint32_t protocol = 0;
  std::string version;
};

inline constexpr size_t greeting_bytes = 64, answer_bytes = 352, confirmation_bytes = secret_bytes;
inline constexpr size_t longest_claim = 255;

// Makes a greeting with a new nonce.
std::string make_greeting(const Speaker& own);
// The sender of `greeting`; empty if it is not a greeting.
std::optional<Speaker> speaker_of(std::string_view greeting);

// `purpose` states what the connection is for, and must be the same on both sides. `claim`
// identifies the connector, such as a node's name. Throws Error if it exceeds longest_claim.
std::string make_answer(const Secret& key, std::string_view purpose, const Speaker& own,
                        std::string_view greeting, std::string_view claim);

struct Proven {
  Speaker speaker;
  std::string claim;
};
// Empty unless the answer belongs to this greeting and its sender has the key.
std::optional<Proven> check_answer(const Secret& key, std::string_view purpose,
                                   std::string_view greeting, std::string_view answer);

std::string make_confirmation(const Secret& key, std::string_view purpose,
                              std::string_view greeting, std::string_view answer);
bool check_confirmation(const Secret& key, std::string_view purpose, std::string_view greeting,
                        std::string_view answer, std::string_view confirmation);

}  // namespace slipway
