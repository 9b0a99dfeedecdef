// Reads whom a health policy tells what happens.
#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/health/policy_reader.h"

namespace slipway::health {

using source::Entry;
using source::Node;

namespace {

constexpr int most_messages = 10'000;
constexpr double shortest_window = 1, longest_window = 7 * 24 * 60;

}  // namespace

bool is_told_path(const std::string& text) {
  return text.size() > 1 && text.front() == '/' &&
         std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

bool is_plain_url(const std::string& text) {
  static const re2::RE2 form(
      R"(https?://(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?(?:/[!-~]*)?)");
  return re2::RE2::FullMatch(text, form);
}

bool is_mail_address(const std::string& text) {
  static const re2::RE2 form(R"([A-Za-z0-9_][A-Za-z0-9_.+-]*(?:@[A-Za-z0-9][A-Za-z0-9.-]*)?)");
  return re2::RE2::FullMatch(text, form);
}

bool Telling::tells(const std::string& event) const {
  return tells() && std::ranges::find(events, event) != events.end();
}

void PolicyReader::read_tell(const Node& node) {
  if (!is_mapping(node, "`tell`")) return;
  Telling& tell = policy_.tell;
  const std::vector<std::string> known(std::begin(told_events), std::end(told_events));
  const auto program = [&](const Entry& entry, std::string& into) {
    const std::string name = text(entry.value, fmt::format("`{}`", entry.key)).value_or("");
    if (!name.empty() && !is_told_path(name)) {
      return wrong(entry.value.span, fmt::format("`{}` must be an absolute path", entry.key),
                   "it runs as root, without a shell and without arguments of yours");
    }
    into = name;
  };
  for (const Entry& entry : node.entries) {
    if (entry.key == "program") {
      program(entry, tell.program);
    } else if (entry.key == "sendmail") {
      program(entry, tell.sendmail);
    } else if (entry.key == "webhook") {
      tell.webhook = text(entry.value, "`webhook`").value_or("");
      if (!tell.webhook.empty() && !is_plain_url(tell.webhook) && !is_told_path(tell.webhook)) {
        wrong(entry.value.span,
              "`webhook` must be an `https://` or `http://` URL without a password, or a path",
              "write a secret URL into a file that only root can read, and its path here");
      }
    } else if (entry.key == "mail") {
      tell.mail = texts(entry.value, "`mail`");
      for (const std::string& each : tell.mail) {
        if (!is_mail_address(each))
          wrong(entry.value.span, fmt::format("`{}` is not a mail address", each));
      }
    } else if (entry.key == "events") {
      tell.events = texts(entry.value, "`events`");
      for (const std::string& each : tell.events) {
        if (std::ranges::find(known, each) == known.end())
          unknown(entry.value.span, "event", each, known);
      }
    } else if (entry.key == "most") {
      tell.most = whole(entry.value, "`most`", 1, most_messages).value_or(tell.most);
    } else if (entry.key == "minutes") {
      constexpr NumberRange window{shortest_window, longest_window, false, ""};
      tell.minutes = number(entry.value, "`minutes`", window).value_or(tell.minutes);
    } else if (entry.key == "job_nodes") {
      tell.job_nodes = whole(entry.value, "`job_nodes`", 1, 1'000'000).value_or(tell.job_nodes);
    } else {
      unknown(entry.key_span, "key of `tell`", entry.key,
              {"program", "webhook", "mail", "sendmail", "events", "most", "minutes", "job_nodes"});
    }
  }
}

}  // namespace slipway::health
