// Runs Packer for a group.
#include "launcher/apply/packer.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/apply/definition_files.h"
#include "launcher/apply/inputs.h"

namespace slipway::apply {
namespace {

// The first version with `packer init`; earlier ones include their plugins.
constexpr const char* first_with_init = "1.7.0";

// The plugins that our templates need (https://developer.hashicorp.com/packer/integrations).
constexpr const char* plugins = R"({"packer": {"required_plugins": {
  "googlecompute": {"source": "github.com/hashicorp/googlecompute", "version": ">= 1.1.0"},
  "ansible": {"source": "github.com/hashicorp/ansible", "version": ">= 1.1.0"}}}}
)";

// Unescapes a field of `packer -machine-readable`
// (https://developer.hashicorp.com/packer/docs/commands#machine-readable-output).
std::string unescaped(std::string text) {
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"%!(PACKER_COMMA)", ","}, {"\\n", "\n"}, {"\\r", ""}}) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

// The results collected from Packer's output.
struct BuildOutput {
  std::string errors;
  std::vector<Image> images;
  std::string builder;  // of the current artifact
};

void read_artifact(const std::vector<std::string>& fields, BuildOutput& build) {
  if (fields.size() < 6) return;
  const std::string value = unescaped(fields[5]);
  if (fields[4] == "builder-id") build.builder = value;
  if (fields[4] != "id") return;
  // Post-processors repeat the artifact.
  const auto same = [&](const Image& image) {
    return image.builder == build.builder && image.name == value;
  };
  if (std::none_of(build.images.begin(), build.images.end(), same)) {
    build.images.push_back({build.builder, value, {}});
  }
}

// The project of the group's images, if it is in the definitions.
std::string project_of(const GroupDefinitions& definitions) {
  std::string project;
  const auto take = [&](const Json& object) {
    const auto found = object.find("project_id");
    if (found == object.end() || !found->is_string()) return;
    const auto text = found->get<std::string>();
    if (text.find('$') == std::string::npos) project = text;
  };
  for (const auto& [path, document] : definitions.documents) {
    if (path.ends_with(".pkrvars.json")) take(document);
    const Json sources = document.value("source", Json::object());
    for (const auto& [type, named] : sources.items()) {
      for (const auto& [name, source] : named.items()) take(source);
    }
  }
  return project;
}

}  // namespace

std::vector<std::string> Packer::command(const std::string& verb) const {
  std::vector<std::string> words{session_.programs.packer.path.string(), verb};
  if (verb == "build") words.emplace_back("-machine-readable");
  if (!group_.packer_values.empty()) words.push_back("-var-file=" + group_.packer_values);
  if (!group_.inputs.empty()) {
    words.push_back("-var-file=" + inputs_file(session_.folder, group_).filename().string());
  }
  words.push_back(group_.packer_target);
  return words;
}

void Packer::run(const std::string& doing, const std::vector<std::string>& words,
                 std::vector<Image>* images) {
  BuildOutput build;
  std::string output;
  const auto read_line = [&](const std::string& line) {
    const std::vector<std::string> fields = split(line, ',');
    if (fields.size() < 3 || fields[0].find_first_not_of("0123456789") != std::string::npos) {
      session_.log(group_.name, line);
      output += line + "\n";
      return;
    }
    if (fields[2] == "artifact") return read_artifact(fields, build);
    if (fields[2] != "ui" || fields.size() < 5) return;
    const std::string text = unescaped(fields[4]);
    session_.log(group_.name, text);
    if (fields[3] == "error") build.errors += text + "\n";
    session_.console.status(fmt::format("  {}: {}", group_.name, trim(text)));
  };
  const ChildResult result = session_.run(group_.name, words, read_line);
  if (images != nullptr) *images = build.images;
  if (result.ok()) return;
  std::string why = build.errors;
  if (trim(why).empty()) why = output;
  if (trim(why).empty()) why = result.errors;
  const std::string module = group_.packer_target.substr(0, group_.packer_target.find('.'));
  const source::Span place = session_.places.module(module);
  session_.report(place ? place : session_.places.group(group_.name),
                  fmt::format("the image of module `{}` could not be {}: `packer` exited with "
                              "status {}",
                              module, doing, result.exit_code),
                  why);
  fail_group(session_, group_.name);
}

void Packer::fetch_plugins() {
  const Program& packer = session_.programs.packer;
  if (!is_at_least(packer.version, first_with_init)) return;
  std::string target = group_.packer_target;
  if (group_.packer_values.empty()) {
    target = session_.folder.plan(group_.name).string() + ".pkr.json";
    write_file(target, plugins, 0600);
  }
  run("prepared", {packer.path.string(), "init", target}, nullptr);
}

void Packer::prepare() {
  session_.console.status(fmt::format("{}: packer validate", group_.name));
  fetch_plugins();
  run("prepared", command("validate"), nullptr);
}

std::vector<Image> Packer::build() {
  std::vector<Image> images;
  run("built", command("build"), &images);
  const std::string project = project_of(read_definitions(session_.folder, group_));
  for (Image& image : images) image.project = project;
  return images;
}

}  // namespace slipway::apply
