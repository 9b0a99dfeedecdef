// What the language server asks the rest of Slipway, so that it says the same as `slipway check`
// and `slipway explain`.
#pragma once

#include <functional>
#include <string>

#include "launcher/modules/interface.h"
#include "launcher/source/diagnostics.h"

namespace slipway::editor {

struct Services {
  // Checks a blueprint whose file is `path` and contains `text`, and shows what was found to `see`.
  std::function<void(const std::string& path, const std::string& text,
                     const std::function<void(const source::Diagnostics&)>& see)>
      check;
  // The folder of the module library.
  std::string library;
  // The page of a diagnostic, in Markdown, and its file; empty without one.
  std::function<std::string(const std::string& code)> page;
  std::function<std::string(const std::string& code)> page_file;
  std::function<std::string(const modules::Interface& interface)> module_page;
  // Where the value of a setting comes from, or a variable's ("vars"); empty if nobody knows.
  std::function<std::string(const std::string& path, const std::string& text,
                            const std::string& module, const std::string& setting)>
      explain;
  // The settings, "homefs.zone", that a variable sets because they have its name.
  std::function<std::vector<std::string>(const std::string& path, const std::string& text,
                                         const std::string& variable)>
      set_by_name;
};

}  // namespace slipway::editor
