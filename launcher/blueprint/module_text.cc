// Reads files for module_file().
#include "launcher/blueprint/module_text.h"

#include <fmt/core.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/functions.h"
#include "launcher/source/input_limit.h"
#include "launcher/source/table.h"

namespace slipway::blueprint {
namespace {

namespace fs = std::filesystem;
using expression::ExpressionError;
using source::Code;

// True for a library module, false for a user's module.
bool in_library(const modules::Interface& interface) {
  return interface.path.starts_with("modules/") || interface.path.starts_with("community/");
}

// The folder in which the files must be.
fs::path root(const modules::Interface& interface) {
  fs::path folder = fs::path(interface.folder).lexically_normal();
  if (!in_library(interface)) return folder;
  // The modules' paths are relative to the library.
  for ([[maybe_unused]] const fs::path& part : fs::path(interface.path)) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

std::string module_text(const modules::Interface& interface, const std::string& path,
                        source::Span span) {
  const auto fail = [&](const std::string& what) {
    throw ExpressionError(Code::bad_module_file, span, fmt::format("module_file(): {}", what));
  };
  const fs::path file = (fs::path(interface.folder) / path).lexically_normal();
  const fs::path relative = file.lexically_relative(root(interface));
  if (path.empty() || fs::path(path).is_absolute() || *relative.begin() == "..") {
    fail(fmt::format("`{}` is not in {}", path,
                     in_library(interface) ? "the module library" : "the module's folder"));
  }
  std::string text;
  try {
    text = read_regular_file(file, source::max_input_bytes);
  } catch (const Error&) {
    fail(fmt::format("there is no file `{}` in `{}`", path, interface.path));
  }
  if (expression::knows_yaml(text)) return text;
  if (in_library(interface) && file.extension() == ".yaml") {
    if (const auto tree = source::prepared_tree(file, text)) {
      expression::know_yaml(text, *tree);
      return text;
    }
  }
  if (source::find_not_text(text) != std::string::npos) {
    fail(fmt::format("`{}` is not UTF-8 text", path));
  }
  return text;
}

}  // namespace slipway::blueprint
