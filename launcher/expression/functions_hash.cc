// Functions for hashes (with libmd), and ghpc_stage().
#include <fmt/core.h>
#include <md5.h>
#include <sha1.h>
#include <sha2.h>

#include <array>

#include "common/base64.h"
#include "common/sha256.h"
#include "launcher/expression/arguments.h"

namespace slipway::expression {

namespace {

using Method = std::string(std::string_view);

template <class Context, size_t size, auto begin, auto add, auto end>
std::string digest(std::string_view text) {
  Context context{};
  std::array<uint8_t, size> bytes{};
  begin(&context);
  add(&context, reinterpret_cast<const uint8_t*>(text.data()), text.size());
  end(bytes.data(), &context);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

constexpr Method* md5_of = digest<MD5_CTX, MD5_DIGEST_LENGTH, MD5Init, MD5Update, MD5Final>;
constexpr Method* sha1_of = digest<SHA1_CTX, SHA1_DIGEST_LENGTH, SHA1Init, SHA1Update, SHA1Final>;
constexpr Method* sha512_of =
    digest<SHA2_CTX, SHA512_DIGEST_LENGTH, SHA512Init, SHA512Update, SHA512Final>;

std::string sha256_of(std::string_view text) {
  return sha256_bytes({text});
}

template <Method* method>
Result hexadecimal(const List& arguments) {
  return Value(to_hex(method(text_at(arguments, 0))));
}

template <Method* method>
Result in_base64(const List& arguments) {
  return Value(to_base64(method(text_at(arguments, 0))));
}

// The 16 bytes of a UUID, or nothing.
std::optional<std::string> uuid_bytes(std::string_view text) {
  constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != shape.size()) return std::nullopt;
  std::string digits;
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((shape[i] == '-') != (text[i] == '-')) return std::nullopt;
    if (text[i] != '-') digits += text[i];
  }
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < digits.size(); i += 2) {
    out += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return out;
}

// RFC 4122, 4.3 and appendix C: SHA-1 of a namespace's UUID and the name.
Result uuidv5(const List& arguments) {
  const std::string& space = text_at(arguments, 0);
  constexpr std::array<std::string_view, 4> names{"dns", "url", "oid", "x500"};
  constexpr std::string_view digits = "0124";
  std::optional<std::string> bytes = uuid_bytes(space);
  for (size_t i = 0; i < names.size(); ++i) {
    if (space != names[i]) continue;
    bytes = uuid_bytes(fmt::format("6ba7b81{}-9dad-11d1-80b4-00c04fd430c8", digits[i]));
  }
  if (!bytes) {
    throw ArgumentError(0, fmt::format("is `{}`, neither a UUID nor dns, url, oid or x500", space));
  }
  std::string id = sha1_of(*bytes + text_at(arguments, 1)).substr(0, 16);
  id[6] = static_cast<char>((id[6] & 0x0F) | 0x50);
  id[8] = static_cast<char>((id[8] & 0x3F) | 0x80);
  std::string text = to_hex(id);
  for (const size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return Value(text);
}

// Cluster Toolkit's function: the path to which `create` copies a file or folder. Terraform does
// not have it.
Result ghpc_stage(const List& arguments) {
  const std::string& path = text_at(arguments, 0);
  const size_t end = path.find_last_not_of('/');
  std::string name = end == std::string::npos ? "" : path.substr(0, end + 1);
  name = name.substr(name.rfind('/') + 1);
  if (name.empty() || name == "." || name == "..") name = "file";
  return Value(fmt::format("../.ghpc/staged/{}_{}", name, to_hex(md5_of(path)).substr(0, 10)));
}

constexpr std::array hash_table = std::to_array<Function>({
    {"base64sha256", "string", in_base64<sha256_of>},
    {"base64sha512", "string", in_base64<sha512_of>},
    {"ghpc_stage", "string", ghpc_stage},
    {"md5", "string", hexadecimal<md5_of>},
    {"sha1", "string", hexadecimal<sha1_of>},
    {"sha256", "string", hexadecimal<sha256_of>},
    {"sha512", "string", hexadecimal<sha512_of>},
    {"uuidv5", "string, string", uuidv5},
});

}  // namespace

std::span<const Function> hash_functions() {
  return hash_table;
}

}  // namespace slipway::expression
