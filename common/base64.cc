// Base64 with libresolv.
#include "common/base64.h"

#include <resolv.h>

#include <algorithm>

namespace slipway {

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

}  // namespace slipway
