// The --container-* options of `slipway launch`.
#include "launcher/commands/launch_container.h"

#include <fmt/core.h>

#include "common/environment.h"
#include "common/error.h"

namespace slipway::commands {
namespace {

struct ValueOption {
  const char* name;
  const char* value;
  const char* help;
};

constexpr size_t image_index = 0, mounts_index = 1, name_index = 2;  // in the table below

constexpr std::array<ValueOption, 7> value_options = {{
    {"container-image", "IMAGE|FILE", "run the program in a container of this image"},
    {"container-mounts", "SRC:DST[:FLAGS],...", "mount these folders in the container"},
    {"container-name", "NAME", "keep the container, or use the one of this name"},
    {"container-workdir", "FOLDER", "the folder in the container in which the program starts"},
    {"container-save", "FILE", "write the container to this file at the end"},
    {"container-env", "NAME,...", "variables whose values in the job beat the image's"},
    {"container-unshare", "net|ipc|uts,...", "namespaces that the container has for itself"},
}};

constexpr std::array<const char*, 9> flag_options = {
    "container-mount-home",    "no-container-mount-home", "container-remap-root",
    "no-container-remap-root", "container-entrypoint",    "no-container-entrypoint",
    "container-writable",      "container-readonly",      "container-entrypoint-log"};

// Each of the first flags excludes the one after it.
constexpr size_t pairs = 4;

}  // namespace

void ContainerOptions::add_to(CommandLine& line) {
  for (size_t i = 0; i < value_options.size(); ++i) {
    const ValueOption& option = value_options[i];
    line.option(option.name, option.value, option.help, &values_[i]);
  }
  for (size_t i = 0; i < flag_options.size(); ++i)
    line.flag(flag_options[i], "as srun's option of this name", &flags_[i]);
}

job::LaunchContainer ContainerOptions::take() const {
  for (size_t i = 0; i < 2 * pairs; i += 2) {
    if (flags_[i] && flags_[i + 1]) {
      throw UsageError(fmt::format("--{} contradicts --{}", flag_options[i], flag_options[i + 1]));
    }
  }
  job::LaunchContainer container;
  container.mounts = values_[mounts_index];
  container.wanted = !values_[image_index].empty() || !values_[name_index].empty() ||
                     !environment_variable("PYXIS_CONTAINER_IMAGE").empty() ||
                     !environment_variable("PYXIS_CONTAINER_NAME").empty();
  std::vector<std::string> given;
  for (size_t i = 0; i < value_options.size(); ++i) {
    if (values_[i].empty()) continue;
    given.emplace_back(value_options[i].name);
    if (i == mounts_index) continue;
    container.options.push_back(fmt::format("--{}={}", value_options[i].name, values_[i]));
  }
  for (size_t i = 0; i < flag_options.size(); ++i) {
    if (!flags_[i]) continue;
    given.emplace_back(flag_options[i]);
    container.options.push_back(fmt::format("--{}", flag_options[i]));
  }
  if (!container.wanted && !given.empty()) {
    throw UsageError(fmt::format("--{} has no effect without --container-image or --container-name",
                                 given.front()));
  }
  return container;
}

}  // namespace slipway::commands
