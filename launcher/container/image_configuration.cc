// Reads an image's configuration, and writes it as enroot's files.
#include "launcher/container/image_configuration.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t largest_json = 16 << 20;

Json read_json(const fs::path& file) {
  Json json = Json::parse(read_regular_file(file, largest_json), nullptr, false);
  if (!json.is_object()) throw Error(fmt::format("{} is not JSON", file.filename().string()));
  return json;
}

const Json& member(const Json& json, const char* name) {
  static const Json nothing;
  if (!json.is_object()) return nothing;
  const auto found = json.find(name);
  return found == json.end() ? nothing : *found;
}

std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}

// A digest is the name of a file, so it has to be one.
fs::path blob_of(const fs::path& layout, const Json& descriptor) {
  constexpr std::string_view kind = "sha256:";
  const std::string digest = text_of(member(descriptor, "digest"));
  const std::string digits = digest.starts_with(kind) ? digest.substr(kind.size()) : "";
  if (digits.size() != 64 || digits.find_first_not_of("0123456789abcdef") != digits.npos) {
    throw Error("the image has a digest that is not sha256");
  }
  return layout / "blobs/sha256" / digits;
}

std::vector<std::string> texts_of(const Json& json) {
  std::vector<std::string> texts;
  if (!json.is_array()) return texts;
  for (const Json& one : json) texts.push_back(text_of(one));
  return texts;
}

std::string words(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : argv) text += " " + shell_quote(word);
  return text;
}

bool is_one_line(const std::string& text) {
  return text.find_first_of(std::string_view("\n\r\0", 3)) == text.npos;
}

// A path in fstab, where white space ends a field.
bool fits_fstab(const std::string& path) {
  return path.starts_with('/') && path.find_first_of(" \t\\#$") == path.npos && is_one_line(path);
}

}  // namespace

ImageConfiguration read_configuration(const fs::path& layout) {
  const Json index = read_json(layout / "index.json");
  const Json& manifests = member(index, "manifests");
  if (!manifests.is_array() || manifests.size() != 1) throw Error("the image has no manifest");
  const Json manifest = read_json(blob_of(layout, manifests[0]));
  const Json file = read_json(blob_of(layout, member(manifest, "config")));
  const Json& config = member(file, "config");
  ImageConfiguration configuration;
  configuration.environment = texts_of(member(config, "Env"));
  configuration.entrypoint = texts_of(member(config, "Entrypoint"));
  configuration.command = texts_of(member(config, "Cmd"));
  configuration.workdir = text_of(member(config, "WorkingDir"));
  configuration.architecture = text_of(member(file, "architecture"));
  if (const Json& volumes = member(config, "Volumes"); volumes.is_object()) {
    for (const auto& [path, unused] : volumes.items()) configuration.volumes.push_back(path);
  }
  return configuration;
}

std::string rc_text(const ImageConfiguration& configuration) {
  const std::string workdir =
      shell_quote(configuration.workdir.empty() ? "/" : configuration.workdir);
  const bool empty = configuration.entrypoint.empty() && configuration.command.empty();
  const std::string command = empty ? " /bin/sh" : words(configuration.command);
  const std::string entrypoint = words(configuration.entrypoint);
  return fmt::format(
      "# The entrypoint of the image, with the job's command as its arguments.\n"
      "mkdir -p {0} 2>/dev/null\n"
      "cd {0} && unset OLDPWD || exit 1\n"
      "if [ -s /etc/rc.local ]; then\n"
      "  . /etc/rc.local\n"
      "fi\n"
      "if [ $# -gt 0 ]; then\n"
      "  exec{1} \"$@\"\n"
      "else\n"
      "  exec{1}{2}\n"
      "fi\n",
      workdir, entrypoint, command);
}

std::string fstab_text(const ImageConfiguration& configuration) {
  std::string text;
  for (const std::string& volume : configuration.volumes) {
    if (!fits_fstab(volume)) continue;
    text +=
        fmt::format("${{ENROOT_ROOTFS}}{0} {0} none x-create=dir,bind,rw,nosuid,nodev\n", volume);
  }
  return text;
}

std::string environment_text(const ImageConfiguration& configuration) {
  std::string text;
  for (const std::string& line : configuration.environment) {
    if (is_one_line(line) && line.find('=') != line.npos && line.front() != '=')
      text += line + "\n";
  }
  return text;
}

}  // namespace slipway::container
