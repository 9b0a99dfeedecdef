// Parses the plugin's arguments in plugstack.conf.
#include "spank-plugins/container/settings.h"

#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/notation.h"

namespace slipway::container {
namespace {

std::string absolute_path(const std::string& key, const std::string& value) {
  // A plugin runs in the job's working directory, so a relative path would be the user's choice.
  if (!value.starts_with('/')) {
    throw Error(fmt::format("`{}={}` in plugstack.conf is not an absolute path", key, value));
  }
  return value;
}

bool* flag_of(Settings& settings, const std::string& key) {
  if (key == "execute_entrypoint") return &settings.execute_entrypoint;
  if (key == "mount_home") return &settings.mount_home;
  if (key == "remap_root") return &settings.remap_root;
  if (key == "writable") return &settings.writable;
  if (key == "kernel_images") return &settings.kernel_images;
  if (key == "sbatch_support") return &settings.sbatch_support;
  return nullptr;
}

[[noreturn]] void reject(const std::string& word, const std::string& key) {
  // Of pyxis, and about how it uses enroot.
  if (key == "use_squashfuse" || key == "use_enroot_load") {
    throw Error(
        fmt::format("`{}` in plugstack.conf has no effect here: images are always mounted, "
                    "and never unpacked; remove it",
                    word));
  }
  std::vector<std::string> known;
  for (const ArgumentHelp& one : argument_help) known.push_back(split(one.name, '=')[0]);
  const std::string guess = nearest(key, known);
  throw Error(fmt::format("unknown argument `{}` in plugstack.conf{}", word,
                          guess.empty() ? "" : fmt::format("; did you mean `{}=`?", guess)));
}

void read_setting(Settings& settings, const std::string& word, const std::string& key,
                  const std::string& value) {
  if (key == "runtime_path") {
    settings.runtime_path = absolute_path(key, value);
  } else if (key == "importer") {
    settings.importer = absolute_path(key, value);
  } else if (key == "container_scope") {
    if (value != "job" && value != "global") {
      throw Error(fmt::format("`{}` in plugstack.conf: use `job` or `global`", word));
    }
    settings.job_scope = value == "job";
  } else if (bool* const flag = flag_of(settings, key)) {
    try {
      *flag = parse_yes(value);
    } catch (const Error& error) {
      throw error.within(fmt::format("`{}` in plugstack.conf", word));
    }
  } else {
    reject(word, key);
  }
}

}  // namespace

Settings parse_settings(std::span<const std::string> words) {
  Settings settings;
  std::set<std::string> seen;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    read_setting(settings, word, key, equals == std::string::npos ? "" : word.substr(equals + 1));
    if (!seen.insert(key).second) {
      throw Error(
          fmt::format("`{}` is in plugstack.conf twice, the second time as `{}`", key, word));
    }
  }
  return settings;
}

}  // namespace slipway::container
