// The options and environment variables with which a job asks for a container.
#pragma once

#include <span>
#include <string_view>

namespace slipway::container {

// What an option sets.
enum class Field {
  image,
  mounts,
  workdir,
  name,
  save,
  environment,
  unshared,
  mount_home,
  remap_root,
  entrypoint,
  entrypoint_log,
  writable,
};

// An option of srun, sbatch and salloc.
struct OptionRow {
  const char* name;    // "container-image"
  const char* values;  // "PATH"; null: a flag, which takes no value
  const char* help;
  Field field;
  const char* flag;  // the value of a flag: "yes" or "no"
};

// An environment variable, which acts where the option was not given.
struct VariableRow {
  const char* name;
  Field field;
  bool opposite;  // PYXIS_CONTAINER_READONLY=yes sets `writable` to no
};

std::span<const OptionRow> option_rows();
std::span<const VariableRow> variable_rows();

// Whether a field's value is "yes" or "no".
bool is_flag(Field field);

}  // namespace slipway::container
