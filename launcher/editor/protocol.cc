// Values of the Language Server Protocol as JSON.
#include "launcher/editor/protocol.h"

#include <fmt/core.h>

#include <charconv>

namespace slipway::editor {
namespace {

constexpr int depth_limit = 64;  // the deepest message of the protocol has far fewer levels

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

Json parse_message(std::string_view text) {
  try {
    return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      if (depth > depth_limit) {
        throw ProtocolError(ErrorCode::invalid_request, "the message is nested too deeply");
      }
      return true;
    });
  } catch (const nlohmann::json::exception&) {
    throw ProtocolError(ErrorCode::parse_error, "the message is not JSON");
  }
}

std::string to_text(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) {
    throw ProtocolError(ErrorCode::invalid_params,
                        fmt::format("the parameters have no `{}`", name));
  }
  return *found;
}

std::string string_member(const Json& object, const char* name) {
  const Json& found = member(object, name);
  if (!found.is_string()) {
    throw ProtocolError(ErrorCode::invalid_params, fmt::format("`{}` must be a string", name));
  }
  return found.get<std::string>();
}

size_t number_member(const Json& object, const char* name) {
  const Json& found = member(object, name);
  if (!found.is_number_unsigned()) {
    throw ProtocolError(ErrorCode::invalid_params,
                        fmt::format("`{}` must be a number from 0 on", name));
  }
  return found.get<size_t>();
}

Position position_of(const Json& object) {
  return {number_member(object, "line"), number_member(object, "character")};
}

Range range_of(const Json& object) {
  return {position_of(member(object, "start")), position_of(member(object, "end"))};
}

Json to_json(Position position) {
  return {{"line", position.line}, {"character", position.character}};
}

Json to_json(Range range) {
  return {{"start", to_json(range.start)}, {"end", to_json(range.end)}};
}

std::string path_of(const std::string& uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return uri;
  std::string path;
  for (size_t i = std::min(uri.find('/', scheme.size()), uri.size()); i < uri.size(); ++i) {
    unsigned byte = 0;
    const char* digits = uri.data() + i + 1;
    const bool is_escape = uri[i] == '%' && i + 2 < uri.size() &&
                           std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    path += is_escape ? static_cast<char>(byte) : uri[i];
    if (is_escape) i += 2;
  }
  return path;
}

std::string uri_of(const std::string& path) {
  std::string uri = "file://";
  for (const char c : path) {
    uri += is_unreserved(c) ? std::string(1, c)
                            : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace slipway::editor
