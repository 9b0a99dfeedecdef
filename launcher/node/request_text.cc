// Writes a request to a Google service as a line of a log.
#include "launcher/node/request_text.h"

#include <fmt/core.h>

#include "common/text.h"

namespace slipway::node {
namespace {

constexpr std::string_view compute_host = "https://compute.googleapis.com/";
constexpr size_t longest_refusal = 600;

// Without what a log or a terminal would interpret.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, longest_refusal)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte > ' ' && byte != 0x7f;
    if (is_plain || (!line.empty() && line.back() != ' ')) line += is_plain ? c : ' ';
  }
  return text.size() > longest_refusal ? line + " …" : line;
}

}  // namespace

std::string request_text(const HttpRequest& request, const HttpAnswer& answer) {
  const std::string what = fmt::format("{} {}", request.method, request.url);
  if (answer.status == 0) return fmt::format("{}: no answer: {}", what, in_one_line(answer.error));
  const std::string text = fmt::format("{}: {}, {} bytes", what, answer.status, answer.body.size());
  const bool may_show = answer.status >= 400 && request.url.starts_with(compute_host);
  return may_show ? fmt::format("{}: {}", text, in_one_line(answer.body)) : text;
}

}  // namespace slipway::node
