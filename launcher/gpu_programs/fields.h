// The fields of `nvidia-smi --query-gpu` and similar options, with the names that
// `nvidia-smi --help-query-gpu` gives them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/gpu_programs/gpus.h"

namespace slipway::gpu_programs {

// One line of the output: a GPU, or a process on it.
struct Row {
  const Device& gpu;
  const Process* process;  // null if the rows are GPUs
};

struct Field {
  const char* name;   // as the header shows it
  const char* alias;  // another name that it can be asked by; empty without one
  const char* unit;   // "MiB"; empty without one
  std::optional<std::string> (*read)(const Row& row);  // empty: [N/A]
};

const std::vector<Field>& gpu_fields();       // --query-gpu
const std::vector<Field>& process_fields();   // --query-compute-apps
const std::vector<Field>& remapped_fields();  // --query-remapped-rows

// The field with this name or alias, or null.
const Field* find_field(const std::vector<Field>& fields, const std::string& name);

// The value of a field of gpu_fields() with its unit: "81920 MiB", or `missing`.
std::string field_text(const Device& gpu, const char* name, const char* missing);

}  // namespace slipway::gpu_programs
