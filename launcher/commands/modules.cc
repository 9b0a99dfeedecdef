// `slipway modules`: lists the module library, or describes one module.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/module_page.h"
#include "launcher/commands/module_parts.h"
#include "launcher/commands/page.h"
#include "launcher/commands/verb.h"
#include "launcher/modules/becomes.h"
#include "launcher/modules/library.h"
#include "launcher/modules/lifetimes.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;
using modules::Interface;

std::string last_part(const std::string& path) {
  return fs::path(path).filename().string();
}

// The module that `name` means: a folder or another source, or a module of the library by its path,
// the last part of it, or any part that only it has.
std::string pick(const std::string& name, const std::vector<std::string>& paths) {
  const modules::ModuleSource source = modules::parse_source(name);
  if (source.kind == modules::ModuleSource::Kind::local || source.is_remote()) return name;
  if (std::find(paths.begin(), paths.end(), name) != paths.end()) return name;
  std::vector<std::string> same, similar, last_parts;
  for (const std::string& path : paths) {
    if (last_part(path) == name) same.push_back(path);
    if (path.find(name) != std::string::npos) similar.push_back(path);
    last_parts.push_back(last_part(path));
  }
  const std::vector<std::string>& found = same.empty() ? similar : same;
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    std::string guess = nearest(name, paths);
    if (guess.empty()) guess = nearest(name, last_parts);
    throw Error(
        guess.empty()
            ? fmt::format("there is no module `{}`; `slipway modules` lists the library", name)
            : fmt::format("there is no module `{}`; did you mean `{}`?", name, guess));
  }
  throw Error(fmt::format("`{}` is in the name of {} modules:\n  {}", name, found.size(),
                          slipway::join(found, "\n  ")));
}

std::string list_text(const std::vector<const Interface*>& all, const Paint& paint) {
  std::map<std::string, std::vector<const Interface*>> folders;
  size_t width = 0;
  for (const Interface* interface : all) {
    folders[fs::path(interface->path).parent_path().string()].push_back(interface);
    width = std::max(width, last_part(interface->path).size());
  }
  constexpr size_t google_width = 9, here_width = 7;  // of the longest names
  const size_t about_width = page_width - width - google_width - here_width - 8;
  std::string text =
      fmt::format("  {}  {}  {}  {}\n", padded("", width), padded("Google", google_width),
                  padded("local", here_width), "about");
  for (const auto& [folder, list] : folders) {
    text += fmt::format("\n{}\n", paint.bold(folder + "/"));
    for (const Interface* interface : list) {
      text += fmt::format("  {}  {}  {}  {}\n", padded(last_part(interface->path), width),
                          padded(modules::on_google(*interface).name, google_width),
                          padded(modules::on_this_machine(*interface).name, here_width),
                          cut(interface->about, about_width));
    }
  }
  return text;
}

nlohmann::ordered_json list_json(const std::vector<const Interface*>& all,
                                 const std::string& release) {
  auto list = nlohmann::ordered_json::array();
  for (const Interface* interface : all) {
    list.push_back({{"path", interface->path},
                    {"kind", interface->kind},
                    {"about", interface->about},
                    {"google", modules::on_google(*interface).name},
                    {"local", modules::on_this_machine(*interface).name}});
  }
  return {
      {"schema", "slipway/modules/1"}, {"cluster_toolkit", release}, {"modules", std::move(list)}};
}

constexpr Part module_parts[] = {{"import", modules_import}};

int show_modules(Args args) {
  std::string name;
  bool json = false;
  CommandLine line("slipway modules", "List the modules that blueprints can use, or describe one.");
  line.about(
      "A description has the module's inputs with types and defaults, its outputs, its rules and "
      "the Google APIs that it needs. MODULE is a path, its last part, or any part that only one "
      "module has. It can also be, as in a blueprint, a folder of your own (./storage) or a "
      "source that `slipway fetch` has downloaded.");
  for (const Part& part : module_parts) add_part(line, part, false);
  line.positional("MODULE", &name, Arity::optional);
  line.json("schemas slipway/modules/1 and slipway/module/1", &json);
  line.example("slipway modules", "list every module, by folder");
  line.example("slipway modules filestore", "describe the Filestore module");
  line.example("slipway modules ./storage", "describe a Terraform module of your own");
  line.example("slipway modules vpc --json | jq '.inputs[].name'", "list its inputs for a program");
  line.see_also("slipway-fetch(1)");
  line.see_also("slipway-explain(1)");
  if (!line.parse(args)) return 0;

  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const fs::path blueprints = find_installation().blueprints();
  const std::string release = modules::library_version(blueprints);
  modules::Library library(blueprints, sources);
  std::vector<std::string> paths = library.paths();
  if (!name.empty()) paths = {pick(name, paths)};
  std::vector<const Interface*> found;
  for (const std::string& path : paths) {
    const Interface* interface = library.find(path, diagnostics);
    if (interface != nullptr && !interface->unreadable) found.push_back(interface);
  }
  show(diagnostics);
  if (json) {
    if (name.empty() || !found.empty()) {
      fmt::print("{}\n",
                 (name.empty() ? list_json(found, release) : module_json(*found[0])).dump(2));
    }
  } else if (name.empty()) {
    std::string text = list_text(found, stdout_paint());
    if (!release.empty()) {
      text += fmt::format("\nThe interfaces are those of Cluster Toolkit {}.\n", release);
    }
    std::fputs(for_locale(text).c_str(), stdout);
  } else if (!found.empty()) {
    std::fputs(for_locale(module_page(*found[0], stdout_paint())).c_str(), stdout);
  }
  return diagnostics.errors() == 0 ? 0 : 1;
}

}  // namespace

int modules(Args args) {
  for (const Part& part : module_parts) {
    if (args.empty() || args[0] != part.name) continue;
    return run_main(std::string("slipway modules ") + part.name,
                    [&] { return part.run(args.subspan(1)); });
  }
  return show_modules(args);
}

}  // namespace slipway::commands
