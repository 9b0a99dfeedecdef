// The plugin in srun, sbatch and salloc.
#include "spank-plugins/container/submission.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <string>

#include "common/error.h"
#include "spank-plugins/container/asked.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/printable.h"

namespace slipway::container::submission {
namespace {

Asked asked;
std::optional<Settings> used_settings;

// sbatch and salloc pass an option to the job in this variable. srun in the job gives its value to
// the callback first, and then what its own command line has.
bool is_inherited(const OptionRow& option, const char* value) {
  std::string name = std::string("SLURM_SPANK__SLURM_SPANK_OPTION_container_") + option.name;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  const char* const found = std::getenv(name.c_str());
  return found != nullptr && value != nullptr && std::string(found) == value;
}

}  // namespace

void begin(std::optional<Settings> settings) {
  asked = {};
  used_settings = std::move(settings);
}

int take_option(const OptionRow& option, const char* value) {
  try {
    asked.take(option, value, is_inherited(option, value));
    return 0;
  } catch (const Error& error) {
    spank::log_error(spank::printable(error.what()));
    return -1;
  }
}

int check() {
  try {
    asked.take_variables([](const char* name) -> std::optional<std::string> {
      const char* const value = std::getenv(name);
      return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    });
  } catch (const Error& error) {
    spank::log_error(spank::printable(error.what()));
    return -1;
  }
  for (const auto& [name, value] : asked.lists()) {
    if (value) {
      ::setenv(name, value->c_str(), 1);  // the job's environment is a copy of this process's
    } else {
      ::unsetenv(name);
    }
  }
  const bool runs_entrypoint = used_settings && used_settings->execute_entrypoint;
  for (const std::string& line : asked.without_effect(runs_entrypoint)) spank::log_error(line);
  return 0;
}

}  // namespace slipway::container::submission
