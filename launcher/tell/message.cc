// Formats messages.
#include "launcher/tell/message.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace slipway::tell {
namespace {

using nlohmann::ordered_json;

constexpr size_t longest_line = 900;     // a line of a mail has at most 998 bytes: RFC 5322, 2.1.1
constexpr size_t longest_subject = 150;  // what programs show of it

std::string place_of(const Message& message) {
  if (message.event == "drain") return message.node + " drained";
  if (message.job.empty()) return message.node;  // an alarm of the breaker says what it is
  const char* const what = message.event == "spares"    ? " has no spare node"
                           : message.event == "finding" ? ""
                                                        : " failed";
  return fmt::format("job {}{}", message.job, what);
}

std::string dump_told(const ordered_json& body) {
  return body.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string one_line(std::string text, size_t longest) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) --longest;
  text.resize(longest);
  return text;
}

std::string line_of(const Message& message) {
  const std::string place = place_of(message);
  return one_line(fmt::format("slipway: {}: {}{}{}", message.cluster, place,
                              place.empty() || message.text.empty() ? "" : ": ", message.text),
                  longest_line);
}

std::string json_of(const Message& message) {
  ordered_json body = {
      {"schema", "slipway/told/1"}, {"event", message.event}, {"cluster", message.cluster}};
  if (!message.node.empty()) body["node"] = message.node;
  if (!message.job.empty()) body["job"] = message.job;
  body["text"] = one_line(message.text, longest_line);
  return dump_told(body) + "\n";
}

std::string webhook_body(const Message& message) {
  return dump_told({{"text", line_of(message)}});
}

std::string mail_of(const Message& message, const std::string& to) {
  std::string subject = line_of(message);
  // A header is ASCII; the body has the whole text.
  std::ranges::replace_if(
      subject, [](unsigned char c) { return c > 0x7e; }, '?');
  return fmt::format(
      "To: {}\nSubject: {}\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n"
      "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{}\n",
      one_line(to, longest_line), one_line(subject, longest_subject), line_of(message));
}

}  // namespace slipway::tell
