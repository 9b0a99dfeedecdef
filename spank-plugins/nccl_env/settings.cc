// Parses --nccl-env and the arguments in plugstack.conf.
#include "spank-plugins/nccl_env/settings.h"

#include <array>
#include <set>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::nccl_env {
namespace {

std::string did_you_mean(std::string_view typed, std::span<const std::string> known) {
  const std::string guess = nearest(typed, known);
  return guess.empty() ? "" : fmt::format("; did you mean `{}`?", guess);
}

std::string parse_path(std::string_view key, std::string_view text) {
  // A plugin runs in the job's working directory, so a relative path would be the user's choice.
  if (!text.starts_with('/')) {
    throw Error(fmt::format("`{}={}` in plugstack.conf is not an absolute path", key, text));
  }
  return std::string(text);
}

}  // namespace

Mode parse_mode(std::string_view text, std::string_view where) {
  if (text == "on") return Mode::on;
  if (text == "off") return Mode::off;
  if (text == "show") return Mode::show;
  if (text == "warn") return Mode::warn;
  const std::array<std::string, 4> known = {"on", "off", "show", "warn"};
  throw Error(fmt::format("{} has no value `{}`: use `on`, `off`, `show` or `warn`{}", where, text,
                          did_you_mean(text, known)));
}

Arguments parse_arguments(std::span<const std::string> words) {
  Arguments arguments;
  std::set<std::string> seen;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "default") {
      arguments.default_mode = parse_mode(value, "`default` in plugstack.conf");
    } else if (key == "profile") {
      arguments.profile_path = parse_path(key, value);
    } else if (key == "env_plugin") {
      arguments.environment_plugin = parse_path(key, value);
    } else if (key.starts_with("NCCL_") && equals != std::string::npos) {
      arguments.variables[key] = value;
    } else {
      const std::array<std::string, 3> known = {"default", "profile", "env_plugin"};
      throw Error(
          fmt::format("unknown argument `{}` in plugstack.conf: use `default=`, `profile=`, "
                      "`env_plugin=` or `NCCL_NAME=`{}",
                      word, did_you_mean(key, known)));
    }
    if (!seen.insert(key).second) {
      throw Error(
          fmt::format("`{}` is in plugstack.conf twice, the second time as `{}`", key, word));
    }
  }
  return arguments;
}

}  // namespace slipway::nccl_env
