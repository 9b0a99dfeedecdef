// Downloads a module with `terraform get`.
#include <fmt/core.h>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/modules/fetch_package.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;

constexpr const char* module_name = "it";

// A JSON string that HCL reads literally, too.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

ProcessResult terraform(const std::vector<std::string>& words, std::chrono::milliseconds deadline) {
  constexpr int not_found = 127;  // exit status of env
  for (const char* program : {"terraform", "tofu"}) {
    std::vector<std::string> argv{program};
    argv.insert(argv.end(), words.begin(), words.end());
    ProcessResult result = run_without_questions(std::move(argv), deadline);
    if (result.exit_code != not_found) return result;
  }
  throw Error(
      "neither `terraform` nor `tofu` is in PATH, and one of them is needed to download this");
}

// The folder of our module in the list that Terraform writes.
fs::path folder_in(const fs::path& list) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const auto root = source::read_yaml(sources.add_file(list), sources, diagnostics);
  const source::Node* modules = root ? root->find("Modules") : nullptr;
  if (modules != nullptr) {
    for (const source::Node& module : modules->items) {
      const source::Node* key = module.find("Key");
      const source::Node* folder = module.find("Dir");
      if (key != nullptr && key->text == module_name && folder != nullptr) return folder->text;
    }
  }
  throw Error(fmt::format("{} does not say where the module is", list.string()));
}

}  // namespace

fs::path fetch_with_terraform(const ModuleSource& source, const fs::path& folder,
                              std::chrono::milliseconds deadline) {
  write_file(folder / "main.tf.json", fmt::format(R"({{"module": {{"{}": {{"source": {}}}}}}})",
                                                  module_name, json_text(source.package)));
  const ProcessResult result =
      terraform({"-chdir=" + folder.string(), "get", "-no-color"}, deadline);
  if (result.timed_out) throw Error("Terraform timed out");
  if (!result.ok()) {
    const size_t error = result.errors.find("Error: ");  // warnings may precede it
    const std::string_view said =
        std::string_view(result.errors).substr(error == std::string::npos ? 0 : error);
    throw Error(std::string(trim(said)));
  }
  return folder / folder_in(folder / ".terraform/modules/modules.json");
}

}  // namespace slipway::modules
