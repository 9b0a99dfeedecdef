// Marks the values that nccl_env set, so that it recognizes them later.
#include "spank-plugins/nccl_env/marker.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace slipway::nccl_env {

using nlohmann::json;

namespace {

// JSON is text, but values are bytes: each byte becomes the character with its number, in UTF-8.
std::string as_text(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

// Empty for text that as_text() cannot have produced.
std::optional<std::string> as_bytes(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x80) {
      bytes += text[i];
      continue;
    }
    if ((first & 0xfc) != 0xc0 || i + 1 == text.size()) return std::nullopt;
    const auto second = static_cast<unsigned char>(text[++i]);
    bytes += static_cast<char>(((first & 0x03) << 6) | (second & 0x3f));
  }
  return bytes;
}

}  // namespace

std::string write_marker(const Environment& ours) {
  json j = json::object();
  for (const auto& [name, value] : ours) j[as_text(name)] = as_text(value);
  return j.dump(-1, ' ', /*ensure_ascii=*/true);
}

Environment read_marker(const Environment& environment) {
  const auto marker = environment.find(marker_name);
  if (marker == environment.end()) return {};
  const json j = json::parse(marker->second, nullptr, /*allow_exceptions=*/false);
  Environment ours;
  if (!j.is_object()) return ours;
  for (const auto& [name, value] : j.items()) {
    if (!value.is_string()) continue;
    const auto bytes = as_bytes(value.get<std::string>());
    if (bytes) ours.emplace(name, *bytes);
  }
  return ours;
}

}  // namespace slipway::nccl_env
