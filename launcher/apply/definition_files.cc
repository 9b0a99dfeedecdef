// Reads and saves the definitions of a group.
#include "launcher/apply/definition_files.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/sha256.h"
#include "common/text.h"

namespace slipway::apply {
namespace {

constexpr const char* applied_schema = "slipway/applied/1";
constexpr size_t max_file_bytes = 256 << 20;

// Whether a path in the group is a JSON file that `create` wrote, not one that it copied.
bool is_document(const std::string& path, const google::GroupSteps& group) {
  if (path.find('/') != std::string::npos) return false;
  return path.ends_with(".tf.json") || path == group.packer_values || path == group.packer_target;
}

// "net" for "net.tf.json", "x" for "x.pkr.json" or "x.pkrvars.json".
std::string stem(const std::string& path) {
  return path.substr(0, path.find('.'));
}

}  // namespace

std::string GroupDefinitions::module_of(const std::string& address) const {
  const std::vector<std::string> steps = split(root_address(address), '.');
  if (steps.size() < 2) return {};
  const bool data = steps[0] == "data" && steps.size() > 2;
  for (const auto& [path, document] : documents) {
    const Json* found = &document;
    if (steps[0] == "module") {
      found = found->contains("module") ? &(*found)["module"] : nullptr;
      if (found != nullptr && found->contains(steps[1])) return stem(path);
      continue;
    }
    const char* kind = data ? "data" : "resource";
    const std::string& type = steps[data ? 1 : 0];
    if (!document.contains(kind) || !document[kind].contains(type)) continue;
    if (document[kind][type].contains(steps[data ? 2 : 1])) return stem(path);
  }
  return {};
}

std::string GroupDefinitions::module_of_file(const std::string& path) const {
  if (documents.contains(path)) return stem(path);
  std::string found;
  for (const auto& [name, document] : documents) {
    const auto blocks = document.find("module");
    if (blocks == document.end()) continue;
    for (const Json& block : *blocks) {
      const std::string source = block.value("source", "");
      if (!source.starts_with("./") || !path.starts_with(source.substr(2) + "/")) continue;
      if (!found.empty()) return {};
      found = stem(name);
    }
  }
  return found;
}

GroupDefinitions read_definitions(const Folder& folder, const google::GroupSteps& group) {
  GroupDefinitions definitions{group.name, group.kind, {}, {}};
  const std::string prefix = group.name + "/";
  std::string all;
  for (const std::string& file : folder.recorded.files) {
    if (!file.starts_with(prefix)) continue;
    const std::string path = file.substr(prefix.size());
    const std::string text = read_regular_file(folder.path / file, max_file_bytes);
    definitions.digests[path] = sha256(text);
    if (!is_document(path, group)) continue;
    all += text;
    try {
      definitions.documents[path] = Json::parse(text);
    } catch (const Json::exception&) {
      throw Error(fmt::format("`{}` is no longer valid JSON", (folder.path / file).string()));
    }
  }
  // The folders that groups share are next to theirs.
  for (const std::string shared : {".ghpc/staged/", "_modules/embedded/"}) {
    if (all.find(shared) == std::string::npos) continue;
    for (const std::string& file : folder.recorded.files) {
      if (!file.starts_with(shared)) continue;
      definitions.digests["../" + file] =
          sha256(read_regular_file(folder.path / file, max_file_bytes));
    }
  }
  return definitions;
}

std::optional<GroupDefinitions> read_applied(const Folder& folder, const std::string& group) {
  const auto path = folder.applied(group);
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const Json document = Json::parse(read_regular_file(path, max_file_bytes));
    if (document.at("schema") != applied_schema) throw Error("its version is not supported");
    GroupDefinitions definitions{document.at("group"), document.at("kind"), {}, {}};
    for (const auto& [name, text] : document.at("documents").items()) {
      definitions.documents[name] = text;
    }
    definitions.digests = document.at("digests").get<std::map<std::string, std::string>>();
    return definitions;
  } catch (const std::exception& error) {
    throw Error(fmt::format("cannot read {}: {}", path.string(), error.what()));
  }
}

void write_applied(const Folder& folder, const GroupDefinitions& definitions) {
  const Json document{{"schema", applied_schema},
                      {"group", definitions.group},
                      {"kind", definitions.kind},
                      {"documents", definitions.documents},
                      {"digests", definitions.digests}};
  write_file(folder.applied(definitions.group), document.dump() + "\n", 0600);
}

std::string digest_of(const GroupDefinitions& definitions, const Json& inputs) {
  return sha256(Json{{"files", definitions.digests}, {"inputs", inputs}}.dump());
}

std::string root_address(const std::string& address) {
  std::string out;
  size_t steps = address.starts_with("data.") ? 3 : 2;
  for (size_t at = 0; at < address.size(); ++at) {
    const char c = address[at];
    if (c == '[' || (c == '.' && --steps == 0)) break;
    out += c;
  }
  return out;
}

}  // namespace slipway::apply
