// Functions for hashes (with libmd) and Base64 (with libresolv), and ghpc_stage().
#include <fmt/core.h>
#include <md5.h>
#include <resolv.h>
#include <sha1.h>
#include <sha2.h>

#include <array>

#include "launcher/expression/arguments.h"
#include "launcher/expression/base64.h"
#include "launcher/expression/sha256.h"

namespace slipway::expression {

std::string to_base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // plus the terminating zero
  b64_ntop(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data(),
           out.size());
  out.pop_back();
  return out;
}

std::optional<std::string> from_base64(std::string_view given) {
  std::string text(given);
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t end = std::min(text.find_first_not_of(digits), text.size());
  const size_t padding = text.size() - end;
  const bool padded = padding <= 2 && text.find_first_not_of('=', end) == std::string::npos;
  if (text.size() % 4 != 0 || !padded) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  const int size = b64_pton(text.c_str(), reinterpret_cast<unsigned char*>(out.data()), out.size());
  if (size < 0) return std::nullopt;
  out.resize(static_cast<size_t>(size));
  return out;
}

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
constexpr Method* sha256_of =
    digest<SHA2_CTX, SHA256_DIGEST_LENGTH, SHA256Init, SHA256Update, SHA256Final>;
constexpr Method* sha512_of =
    digest<SHA2_CTX, SHA512_DIGEST_LENGTH, SHA512Init, SHA512Update, SHA512Final>;

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  return hex(sha256_of(bytes));
}

namespace {

template <Method* method>
Result hexadecimal(const List& arguments) {
  return Value(hex(method(text_at(arguments, 0))));
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
  std::string text = hex(id);
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
  return Value(fmt::format("../.ghpc/staged/{}_{}", name, hex(md5_of(path)).substr(0, 10)));
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
