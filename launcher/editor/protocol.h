// Values of the Language Server Protocol as JSON.
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "launcher/editor/document.h"

namespace slipway::editor {

using Json = nlohmann::ordered_json;

// The numbers of JSON-RPC and of the protocol.
enum class ErrorCode {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  request_failed = -32803,
  cancelled = -32800,
};

class ProtocolError : public Error {
 public:
  ProtocolError(ErrorCode code, const std::string& message) : Error(message), code(code) {}
  ErrorCode code;
};

// Reads a message. Throws ProtocolError if it is not JSON, or nested deeper than any message is.
Json parse_message(std::string_view text);
// In valid UTF-8 whatever the strings contain.
std::string to_text(const Json& message);

// Members of a request's parameters. Throw ProtocolError(invalid_params) unless they are there and
// of that type.
const Json& member(const Json& object, const char* name);
std::string string_member(const Json& object, const char* name);
size_t number_member(const Json& object, const char* name);
Position position_of(const Json& object);
Range range_of(const Json& object);

Json to_json(Position position);
Json to_json(Range range);

// file:///a%20b is /a b; any other URI is itself. And back.
std::string path_of(const std::string& uri);
std::string uri_of(const std::string& path);

}  // namespace slipway::editor
