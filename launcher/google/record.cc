// Records what `create` wrote.
#include "launcher/google/record.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {

namespace {
constexpr const char* schema = "slipway/created/1";
constexpr size_t largest_record = 64 << 20;

GroupSteps steps_of(const Json& group) {
  GroupSteps steps;
  steps.name = group.at("group");
  steps.kind = group.at("kind");
  steps.packer_target = group.value("packer_target", "");
  steps.packer_values = group.value("packer_values", "");
  for (const auto& [variable, from] : group.at("inputs").items()) {
    steps.inputs.push_back({variable, from.at("group")});
  }
  steps.late_settings = group.value("late_settings", steps.late_settings);
  return steps;
}

}  // namespace

std::string record(const Definitions& definitions) {
  Json out{{"schema", schema}, {"deployment", definitions.deployment}, {"groups", Json::array()}};
  for (const GroupSteps& group : definitions.groups) {
    Json entry{{"group", group.name}, {"kind", group.kind}};
    if (!group.packer_target.empty()) entry["packer_target"] = group.packer_target;
    if (!group.packer_values.empty()) entry["packer_values"] = group.packer_values;
    entry["inputs"] = Json::object();
    for (const GroupSteps::Input& input : group.inputs) {
      entry["inputs"][input.variable] = {{"group", input.from_group}, {"output", input.variable}};
    }
    if (!group.late_settings.empty()) entry["late_settings"] = group.late_settings;
    out["groups"].push_back(std::move(entry));
  }
  return to_text(out);
}

std::string list_of_files(const std::set<std::string>& files) {
  return to_text(Json(files));
}

Recorded read_record(const std::filesystem::path& folder) {
  try {
    Recorded recorded;
    const Json document = Json::parse(read_regular_file(folder / record_file, largest_record));
    if (document.at("schema") != schema) throw Error("its version is not supported");
    recorded.deployment = document.at("deployment");
    for (const Json& group : document.at("groups")) recorded.groups.push_back(steps_of(group));
    recorded.files = Json::parse(read_regular_file(folder / files_file, largest_record))
                         .get<std::set<std::string>>();
    return recorded;
  } catch (const std::exception& error) {
    throw Error(
        fmt::format("`{}` was not written by `slipway create`: {}", folder.string(), error.what()));
  }
}

}  // namespace slipway::google
