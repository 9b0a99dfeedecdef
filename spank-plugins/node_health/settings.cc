// Parses the arguments in plugstack.conf and --health.
#include "spank-plugins/node_health/settings.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::node_health {
namespace {

// Less than PrologEpilogTimeout, 60 s (launcher/cluster/slurm_conf.cc): if Slurm has to kill a
// prolog there, it drains the node.
constexpr int longest_deadline = 50;

std::chrono::seconds parse_deadline(const std::string& text) {
  const auto seconds = to_number<int>(text);
  if (!seconds || *seconds < 1 || *seconds > longest_deadline) {
    throw Error(
        fmt::format("`deadline={}` in plugstack.conf is not a number of seconds from 1 to {}", text,
                    longest_deadline));
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace

Choice parse_choice(std::string_view text) {
  if (text == "on") return Choice::on;
  if (text == "skip") return Choice::skip;
  throw Error(fmt::format("--health has no value `{}`: use `on` or `skip`", text));
}

Arguments parse_arguments(std::span<const std::string> words) {
  Arguments arguments;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "program") {
      if (!value.starts_with('/')) {
        throw Error(fmt::format("`{}` in plugstack.conf is not an absolute path", word));
      }
      arguments.program = value;
    } else if (key == "deadline") {
      arguments.deadline = parse_deadline(value);
    } else {
      throw Error(fmt::format(
          "unknown argument `{}` in plugstack.conf: use `program=` or `deadline=`", word));
    }
  }
  return arguments;
}

}  // namespace slipway::node_health
