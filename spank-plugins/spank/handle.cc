// A plugin's view of the job that it runs in.
#include "spank-plugins/spank/handle.h"

#include <string_view>

namespace slipway::spank {

std::map<std::string, std::string> read_environment(char** variables) {
  std::map<std::string, std::string> environment;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return environment;
}

Status Handle::register_option(const Option& option) const {
  // Slurm's struct predates const; it copies the texts and changes none of them.
  spank_option raw = {const_cast<char*>(option.name),
                      const_cast<char*>(option.value_name),
                      const_cast<char*>(option.usage),
                      /*has_arg=*/option.value_name != nullptr ? 1 : 0,
                      /*val=*/0,
                      option.take};
  return Status(spank_option_register(spank_, &raw));
}

char** Handle::variables() const {
  char** variables = nullptr;
  return spank_get_item(spank_, S_JOB_ENV, &variables) == ESPANK_SUCCESS ? variables : nullptr;
}

std::optional<std::map<std::string, std::string>> Handle::environment() const {
  char** const all = variables();
  if (all == nullptr) return std::nullopt;
  return read_environment(all);
}

std::optional<std::string> Handle::variable(std::string_view name) const {
  char** each = variables();
  if (each == nullptr) return std::nullopt;
  for (; *each != nullptr; ++each) {
    const std::string_view line = *each;
    if (line.size() > name.size() && line[name.size()] == '=' && line.starts_with(name)) {
      return std::string(line.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

Status Handle::setenv(const std::string& name, const std::string& value) const {
  return Status(spank_setenv(spank_, name.c_str(), value.c_str(), /*overwrite=*/1));
}

Status Handle::unsetenv(const std::string& name) const {
  return Status(spank_unsetenv(spank_, name.c_str()));
}

std::optional<uint32_t> Handle::number(spank_item_t item) const {
  uint32_t number = 0;
  if (spank_get_item(spank_, item, &number) != ESPANK_SUCCESS) return std::nullopt;
  return number;
}

std::optional<uint32_t> Handle::global_task_id() const {
  return number(S_TASK_GLOBAL_ID);
}

std::optional<uint32_t> Handle::local_task_id() const {
  int id = 0;  // Slurm's type for it
  if (spank_get_item(spank_, S_TASK_ID, &id) != ESPANK_SUCCESS) return std::nullopt;
  return static_cast<uint32_t>(id);
}

std::optional<uint32_t> Handle::node_count() const {
  return number(S_JOB_NNODES);
}

std::optional<uint32_t> Handle::node_id() const {
  return number(S_JOB_NODEID);
}

}  // namespace slipway::spank
