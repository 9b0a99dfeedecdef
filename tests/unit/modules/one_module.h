// A library with one module, and the diagnostics from reading it.
#pragma once

#include "common/file.h"
#include "launcher/modules/library.h"
#include "tests/unit/temporary_directory.h"

struct OneModule {
  explicit OneModule(const std::string& text) {
    slipway::make_directories(folder / "modules/a/b");
    slipway::write_file(folder / "modules/a/b/module.yaml", text);
    interface = library.find("modules/a/b", diagnostics);
  }
  std::string said() const { return folder.relative(render(diagnostics)); }
  TemporaryDirectory folder;
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics{sources};
  slipway::modules::Library library{folder.path(), sources};
  const slipway::modules::Interface* interface = nullptr;
};
