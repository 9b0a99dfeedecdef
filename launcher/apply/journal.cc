// Reads and writes the journal of a deployment folder.
#include "launcher/apply/journal.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "launcher/apply/changes.h"

namespace slipway::apply {
namespace {

constexpr const char* journal_schema = "slipway/journal/1";
constexpr size_t largest_journal = 16 << 20;
constexpr std::array states = {"absent", "applying", "failed", "applied", "destroying"};

State state_of(const std::string& text) {
  for (size_t i = 0; i < states.size(); ++i) {
    if (text == states[i]) return static_cast<State>(i);
  }
  throw Error(fmt::format("it has the unknown state `{}`", text));
}

GroupState group_of(const Json& entry) {
  GroupState group;
  group.state = state_of(entry.at("state"));
  group.digest = entry.value("digest", "");
  group.run = entry.at("run");
  group.since = entry.value("since", "");
  for (const Json& image : entry.value("images", Json::array())) {
    group.images.push_back({image.at("builder"), image.at("name"), image.value("project", "")});
  }
  return group;
}

Json to_json(const GroupState& group) {
  Json entry{{"state", name(group.state)}, {"run", group.run}, {"since", group.since}};
  if (!group.digest.empty()) entry["digest"] = group.digest;
  for (const Image& image : group.images) {
    entry["images"].push_back({{"builder", image.builder}, {"name", image.name}});
    if (!image.project.empty()) entry["images"].back()["project"] = image.project;
  }
  return entry;
}

}  // namespace

const char* name(State state) {
  return states[static_cast<size_t>(state)];
}

Journal::Journal(const Folder& folder)
    : path_(folder.journal()), deployment_(folder.recorded.deployment) {
  if (!std::filesystem::exists(path_)) return;
  try {
    const Json document = Json::parse(read_regular_file(path_, largest_journal));
    if (document.at("schema") != journal_schema) throw Error("its version is not supported");
    run = document.at("run");
    finished = document.at("finished");
    program = document.value("program", "");
    if (const auto found = document.find("child"); found != document.end()) {
      child = found->at("process");
      child_start_time = found->at("began");
    }
    for (const auto& [name, entry] : document.at("groups").items()) {
      groups_[name] = group_of(entry);
    }
  } catch (const std::exception& error) {
    throw Error(fmt::format("cannot read {}: {}", path_.string(), error.what()));
  }
}

GroupState Journal::known(const std::string& name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? GroupState{} : found->second;
}

void Journal::save() const {
  Json document{{"schema", journal_schema},
                {"deployment", deployment_},
                {"run", run},
                {"finished", finished}};
  if (!program.empty()) document["program"] = program;
  if (child != 0) document["child"] = {{"process", child}, {"began", child_start_time}};
  document["groups"] = Json::object();
  for (const auto& [name, group] : groups_) document["groups"][name] = to_json(group);
  write_file(path_, document.dump(2) + "\n", 0600);
}

void Journal::put(const std::string& name, State state) {
  GroupState& group = groups_[name];
  group.state = state;
  group.run = run;
  group.since = now_utc();
  save();
}

}  // namespace slipway::apply
