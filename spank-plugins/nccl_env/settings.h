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

// Of `sbatch --nccl-env`, as `srun --help` and the reference show it.
inline constexpr const char* option_name = "nccl-env";
inline constexpr const char* option_values = "on|off|show|warn";
inline constexpr const char* option_help =
    "set the NCCL variables of the node's network transport (on), leave the job alone (off), "
    "set and print them (show), or only print what differs from the advice (warn)";

// The arguments that plugstack.conf can give, and what they mean.
struct ArgumentHelp {
  const char* name;
  const char* help;
};
inline constexpr ArgumentHelp argument_help[] = {
    {"default=on|off|show|warn", "the mode of jobs without --nccl-env; on if it is missing"},
    {"profile=FILE",
     "the node profile, opened as the job's user; /etc/slipway/node.json if missing"},
    {"NCCL_NAME=VALUE", "a value of yours, before those of the vendor and the catalogue"},
    {"env_plugin=FILE", "set NCCL_ENV_PLUGIN to this library, for jobs in containers"}};

// The words that follow the plugin's path in plugstack.conf.
struct Arguments {
  Mode default_mode = Mode::on;                            // default=on|off|show|warn
  std::filesystem::path profile_path = node_profile_path;  // profile=/absolute/path
  std::string environment_plugin;                          // env_plugin=/absolute/path
  std::map<std::string, std::string> variables;            // NCCL_NAME=value
};

// Throws Error at the first word that is unknown, repeated or malformed, quoting it.
Arguments parse_arguments(std::span<const std::string> words);

}  // namespace slipway::nccl_env
