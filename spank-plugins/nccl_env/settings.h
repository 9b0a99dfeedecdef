// What nccl_env is told: by the user with --nccl-env, by the administrator in plugstack.conf.
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
  off,   // leave the job alone, and take back what an earlier step of it was given
  show,  // as on, and print a table from the step's first task
  warn,  // set nothing, and print what differs from what is advised
};

// "on", "off", "show" or "warn". Throws Error, naming `where` it stood, the values there are and
// the nearest one.
Mode parse_mode(std::string_view text, std::string_view where);

// The words behind the plugin's path in plugstack.conf.
struct Arguments {
  Mode default_mode = Mode::on;                            // default=on|off|show|warn
  std::filesystem::path profile_path = node_profile_path;  // profile=/absolute/path
  std::string environment_plugin;                          // env_plugin=/absolute/path
  std::map<std::string, std::string> variables;            // NCCL_NAME=value
};

// Throws Error at the first word that is unknown, given twice or malformed, with its text.
Arguments parse_arguments(std::span<const std::string> words);

}  // namespace slipway::nccl_env
