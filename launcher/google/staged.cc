// Copies files to the deployment folder.
#include "launcher/google/staged.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::google {
namespace {

namespace fs = std::filesystem;

using expression::Value;

constexpr std::string_view staged_folder = ".ghpc/staged/";
constexpr std::string_view library_folder = "../_modules/embedded/";

class Library {
 public:
  Library(Context& context, fs::path folder) : context_(context), folder_(std::move(folder)) {}

  void take(const blueprint::Module& module) {
    for (const auto& [name, setting] : module.settings) {
      if (module.interface->input(name) == nullptr) continue;
      const bool written = setting.origin == blueprint::Origin::blueprint && setting.value->span;
      copy_named_files(context_.evaluation.input(module, name),
                       written ? setting.value->span : setting.span);
    }
  }

 private:
  void copy_named_files(const Value& value, source::Span span) {
    if (const auto* text = value.as<std::string>()) {
      if (text->starts_with(library_folder)) take(text->substr(library_folder.size()), span);
    } else if (const auto* list = value.as<Value::List>()) {
      for (const Value& item : *list) copy_named_files(item, span);
    } else if (const auto* object = value.as<Value::Object>()) {
      for (const auto& [name, member] : *object) copy_named_files(member, span);
    }
  }

  void take(const std::string& text, source::Span span) {
    const fs::path path = fs::path(text).lexically_normal();
    std::error_code ignored;
    const bool inside = !path.empty() && path.is_relative() && *path.begin() != "..";
    if (!inside || !fs::exists(folder_ / path, ignored)) {
      context_.diagnostics
          .error(source::Code::no_such_file, span,
                 fmt::format("there is no file `{}` in the library", text))
          .help("to copy your own file, use ghpc_stage(\"PATH\")");
      return;
    }
    const std::string to = fmt::format("_modules/embedded/{}", path.string());
    auto& copies = context_.definitions.copies;
    const bool known = std::any_of(copies.begin(), copies.end(),
                                   [&](const Copy& copy) { return copy.path == to; });
    if (!known) copies.push_back({to, (folder_ / path).string(), span});
  }

  Context& context_;
  fs::path folder_;
};

}  // namespace

void copy_staged_files(Context& context, const fs::path& library) {
  for (const blueprint::StagedFile& file : context.deployment.staged_files) {
    context.definitions.copies.push_back(
        {std::string(staged_folder) + file.to, file.from, file.span});
  }
  Library ours(context, library);
  for (const blueprint::Group& group : context.deployment.groups) {
    for (const blueprint::Module& module : group.modules) ours.take(module);
  }
}

}  // namespace slipway::google
