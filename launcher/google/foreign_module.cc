// Writes the calls of foreign Terraform modules, and copies local ones.
#include "launcher/google/foreign_module.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/file.h"
#include "common/text.h"
#include "launcher/expression/evaluate.h"
#include "launcher/google/providers.h"
#include "launcher/google/toolkit.h"
#include "launcher/modules/becomes.h"
#include "launcher/modules/module_source.h"
#include "launcher/source/input_limit.h"

namespace slipway::google {
namespace {

namespace fs = std::filesystem;

using blueprint::Module;
using expression::Value;
using modules::ModuleSource;

// Adds the providers of the resources in a file. Checks only the beginnings of lines, since a
// superfluous provider does no harm.
void add_providers(const std::string& text, std::set<std::string>& providers) {
  for (const std::string& line : split(text, '\n')) {
    const std::string_view words = trim(line);
    for (const std::string_view block : {"resource \"", "data \"", "ephemeral \""}) {
      if (!words.starts_with(block)) continue;
      const std::string_view type = words.substr(block.size());
      providers.insert(provider_of(std::string(type.substr(0, type.find('"')))));
    }
  }
  if (text.find("google-beta") != std::string::npos) providers.insert("google-beta");
}

// The files of a module and its submodules, with their texts.
std::map<fs::path, std::string> texts_in(const fs::path& folder) {
  std::map<fs::path, std::string> texts;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) entry.disable_recursion_pending();  // downloads of `init`
    if (name.starts_with('.') || !name.ends_with(".tf") || !entry->is_regular_file(error)) continue;
    texts.emplace(entry->path(), read_regular_file(entry->path(), source::max_input_bytes));
  }
  return texts;
}

// "../net" from the line `source = "../net"`, or nothing.
std::string source_in(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("source")) return {};
  const size_t open = line.find('"');
  const size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
  if (close == std::string_view::npos || trim(line.substr(6, open - 6)) != "=") return {};
  return std::string(line.substr(open + 1, close - open - 1));
}

// Reports calls of modules outside the folder, since only the folder is copied.
void check_sources(Context& context, const Module& module,
                   const std::map<fs::path, std::string>& texts) {
  for (const auto& [file, text] : texts) {
    for (const std::string& line : split(text, '\n')) {
      const std::string source = source_in(line);
      if (!source.starts_with("../")) continue;
      const fs::path called = (file.parent_path() / source).lexically_normal();
      const fs::path relative =
          called.lexically_relative(fs::path(module.interface->folder).lexically_normal());
      if (*relative.begin() != "..") continue;
      context.diagnostics
          .error(source::Code::no_resources, module.source_span,
                 fmt::format("module `{}` cannot be created: it calls `{}`, which is not in `{}`",
                             module.id, source, module.source))
          .help("only that folder is copied; move the called module into it");
    }
  }
}

// Where a local folder is copied to: its own name, followed by a number if the name is taken.
std::string place_of_copy(Context& context, const GroupContents& contents, const Module& module) {
  const fs::path from = fs::path(module.interface->folder).lexically_normal();
  const fs::path name = from.has_filename() ? from.filename() : from.parent_path().filename();
  const std::string base =
      fmt::format("{}/modules/{}", contents.group->name, name.empty() ? "module" : name.string());
  std::string path = base;
  for (int number = 2;; ++number) {
    const auto& copies = context.definitions.copies;
    const auto found = std::find_if(copies.begin(), copies.end(),
                                    [&](const Copy& copy) { return copy.path == path; });
    if (found == copies.end()) {
      context.definitions.copies.push_back({path, from.string(), module.source_span});
      return path;
    }
    if (found->from == from.string()) return path;
    path = fmt::format("{}-{}", base, number);
  }
}

// Where Terraform finds the user's module. Copies a local one.
std::string own_source(Context& context, const Module& module, GroupContents& contents) {
  const auto texts = texts_in(module.interface->folder);
  for (const auto& [file, text] : texts) add_providers(text, contents.foreign_providers);
  if (modules::parse_source(module.source).kind != ModuleSource::Kind::local) return module.source;
  check_sources(context, module, texts);
  const std::string path = place_of_copy(context, contents, module);
  return "." + path.substr(contents.group->name.size());
}

// What a module of Cluster Toolkit's has in `toolkit_module`.
const Value::Object& toolkit_facts(const modules::Resource& toolkit, Value& place) {
  place = expression::evaluate(*toolkit.body, expression::EmptyScope());
  return *place.as<Value::Object>();
}

void add_providers(const modules::Resource& toolkit, GroupContents& contents) {
  Value place;
  const Value::Object& facts = toolkit_facts(toolkit, place);
  const auto providers = facts.find("providers");
  if (providers == facts.end()) return;
  for (const Value& name : *providers->second.as<Value::List>()) {
    const std::string text = expression::text_of(name).value_or("");
    contents.foreign_providers.insert(text);
    contents.providers.try_emplace(text);
  }
}

// Terraform accepts no `depends_on` for a module that has provider blocks itself.
bool may_wait(Context& context, const Module& module) {
  const modules::Resource* toolkit = modules::toolkit_module(*module.interface);
  if (toolkit == nullptr) return true;
  Value place;
  const Value::Object& facts = toolkit_facts(*toolkit, place);
  const auto configures = facts.find("configures_providers");
  if (configures == facts.end() || !(configures->second == Value(true))) return true;
  context.diagnostics
      .warning(source::Code::setting_without_effect, module.depends_on[0].span,
               fmt::format("`depends_on` of module `{}` has no effect", module.id))
      .help("the module configures providers itself, and Terraform refuses to let it wait")
      .help("to make it wait, pass an output of the other module to one of its settings");
  return false;
}

}  // namespace

Json foreign_module(Context& context, const Module& module, GroupContents& contents) {
  Json call = Json::object();
  Json file = head(module);
  if (const modules::Resource* toolkit = modules::toolkit_module(*module.interface)) {
    call["source"] = toolkit_source(context.deployment, module);
    file["//"] = fmt::format("{} (Cluster Toolkit's own module: `init` downloads it)",
                             file["//"].get<std::string>());
    add_providers(*toolkit, contents);
  } else {
    call["source"] = own_source(context, module, contents);
  }
  for (const auto& [name, setting] : module.settings) {
    if (module.interface->input(name) == nullptr) continue;
    const Value& value = context.evaluation.input(module, name);
    try {
      call[name] = to_terraform(context.links.resolve(value, contents.index));
    } catch (const expression::ExpressionError& error) {
      report(error, setting.span, context.diagnostics);
    }
  }
  Json needs = needs_of_module(context, module, contents.index);
  if (!needs.empty() && may_wait(context, module)) call["depends_on"] = std::move(needs);
  file["module"][module.id] = std::move(call);
  return file;
}

}  // namespace slipway::google
