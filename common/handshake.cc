// The frames of the handshake and their proofs.
#include "common/handshake.h"

#include <algorithm>

#include "common/error.h"

namespace slipway {
namespace {

constexpr std::string_view magic("slipway\0", 8);
constexpr size_t protocol_bytes = 4, version_bytes = 20, claim_bytes = longest_claim + 1;
constexpr size_t introduction_bytes = magic.size() + protocol_bytes + version_bytes + secret_bytes;
static_assert(introduction_bytes == greeting_bytes);
static_assert(introduction_bytes + claim_bytes + secret_bytes == answer_bytes);

// `text` padded with zeros or cut to `size`.
std::string padded(std::string_view text, size_t size) {
  std::string result(text.substr(0, size));
  result.resize(size, '\0');
  return result;
}

std::string unpadded(std::string_view field) {
  return std::string(field.substr(0, field.find('\0')));
}

// The start of both sides' first frame.
std::string preamble(const Speaker& own) {
  std::string text(magic);
  for (int shift = 24; shift >= 0; shift -= 8)
    text += static_cast<char>((own.protocol >> shift) & 0xff);
  return text + padded(own.version, version_bytes) + std::string(bytes_of(random_secret()));
}

// Replaces bytes that are unsafe to print, since the text is from an unauthenticated peer.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string proof(const Secret& key, std::string_view purpose, std::string_view side,
                  std::string_view greeting, std::string_view answer) {
  std::string all;
  for (const std::string_view part : {purpose, side}) (all += part) += '\0';
  (all += greeting) += answer;  // both of fixed size
  return std::string(bytes_of(hmac_sha256(key, all)));
}

}  // namespace

std::string make_greeting(const Speaker& own) {
  return preamble(own);
}

std::optional<Speaker> speaker_of(std::string_view greeting) {
  if (greeting.size() < introduction_bytes || !greeting.starts_with(magic)) return std::nullopt;
  Speaker speaker;
  for (const char byte : greeting.substr(magic.size(), protocol_bytes))
    speaker.protocol = speaker.protocol << 8 | static_cast<uint8_t>(byte);
  speaker.version =
      printable(unpadded(greeting.substr(magic.size() + protocol_bytes, version_bytes)));
  return speaker;
}

std::string make_answer(const Secret& key, std::string_view purpose, const Speaker& own,
                        std::string_view greeting, std::string_view claim) {
  if (claim.size() > longest_claim) throw Error("`" + std::string(claim) + "` is too long a name");
  const std::string answer = preamble(own) + padded(claim, claim_bytes);
  return answer + proof(key, purpose, "connects", greeting, answer);
}

std::optional<Proven> check_answer(const Secret& key, std::string_view purpose,
                                   std::string_view greeting, std::string_view answer) {
  if (answer.size() != answer_bytes) return std::nullopt;
  const std::string_view said = answer.substr(0, introduction_bytes + claim_bytes);
  const bool proven =
      is_same(proof(key, purpose, "connects", greeting, said), answer.substr(said.size()));
  const auto speaker = speaker_of(answer);
  if (!proven || !speaker) return std::nullopt;
  return Proven{*speaker, unpadded(said.substr(introduction_bytes))};
}

std::string make_confirmation(const Secret& key, std::string_view purpose,
                              std::string_view greeting, std::string_view answer) {
  return proof(key, purpose, "listens", greeting, answer);
}

bool check_confirmation(const Secret& key, std::string_view purpose, std::string_view greeting,
                        std::string_view answer, std::string_view confirmation) {
  return is_same(proof(key, purpose, "listens", greeting, answer), confirmation);
}

}  // namespace slipway
