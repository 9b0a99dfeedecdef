// The settings of nccl_env: the user's --nccl-env, and the administrator's in plugstack.conf.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "common/node_profile.h"

namespace slipway::nccl_env {

enum class Mode {
  on,    // set what the user has not set
  off,   // leave the job alone, and undo what an earlier step of it got
  show,  // like on, and print a table from the step's first task
  warn,  // set nothing, and print differences from the recommended values
};

// Parses "on", "off", "show" or "warn". Throws Error, naming `where` the value is, the valid values
// and the nearest one.
Mode parse_mode(std::string_view text, std::string_view where);

// The words after the plugin's path in plugstack.conf.
struct Arguments {
  Mode default_mode = Mode::on;                            // default=on|off|show|warn
  std::filesystem::path profile_path = node_profile_path;  // profile=/absolute/path
  std::string environment_plugin;                          // env_plugin=/absolute/path
  std::map<std::string, std::string> variables;            // NCCL_NAME=value
};

// Throws Error at the first word that is unknown, repeated or malformed, quoting it.
Arguments parse_arguments(std::span<const std::string> words);

}  // namespace slipway::nccl_env
