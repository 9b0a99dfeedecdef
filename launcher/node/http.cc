// HTTP requests, sent by curl.
#include "launcher/node/http.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/traffic.h"

namespace slipway::node {
namespace {

constexpr const char* program = "/usr/bin/curl";

// Quotes a value for curl's configuration file.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\0') throw Error("a request contains a NUL byte");
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::string curl_config(const HttpRequest& request) {
  const double seconds = std::chrono::duration<double>(request.deadline).count();
  std::string text = fmt::format(
      "url = {}\nrequest = {}\nproto = \"=http,https\"\nnoproxy = \"*\"\ngloboff\nsilent\n"
      "show-error\nconnect-timeout = {:.3f}\nmax-time = {:.3f}\nwrite-out = "
      "\"\\n%{{http_code}}\"\n",
      in_quotes(request.url), in_quotes(request.method), std::min(seconds, 5.0), seconds);
  for (const std::string& header : request.headers) {
    text += fmt::format("header = {}\n", in_quotes(header));
  }
  if (!request.body.empty()) text += fmt::format("data-raw = {}\n", in_quotes(request.body));
  return text;
}

HttpAnswer send(const HttpRequest& request) {
  ProcessOptions options;
  options.input = curl_config(request);
  options.deadline = request.deadline + std::chrono::seconds(5);
  // `--disable` must be first: it keeps curl from reading the user's configuration.
  ProcessResult result = run_process({program, "--disable", "--config", "-"}, options);
  HttpAnswer answer;
  const size_t line = result.output.rfind('\n');
  if (line != result.output.npos) {
    const char* const end = result.output.data() + result.output.size();
    std::from_chars(result.output.data() + line + 1, end, answer.status);
    answer.body = result.output.substr(0, line);
  }
  if (result.ok() && answer.status != 0) {
    record_traffic(request, answer);
    return answer;
  }
  answer.status = 0;
  // "curl: (28) Connection timed out"
  const std::string words(trim(result.errors));
  const size_t number = words.find(") ");
  answer.error = result.timed_out       ? "curl did not end in time"
                 : number != words.npos ? words.substr(number + 2)
                 : words.empty()        ? fmt::format("curl: exit status {}", result.exit_code)
                                        : words;
  return answer;
}

std::string url_encode(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace slipway::node
