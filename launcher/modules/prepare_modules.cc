// Writes the prepared module library (prepared_modules.h) when Slipway is built:
// prepare_modules BLUEPRINTS FILE DEPFILE. An error in a module file fails the build.
#include <fmt/core.h>

#include <cstdio>

#include "common/command_line.h"
#include "common/file.h"
#include "launcher/modules/library.h"
#include "launcher/source/yaml.h"

using namespace slipway;

namespace {

int prepare(const std::filesystem::path& blueprints, const std::string& file,
            const std::string& depfile) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  std::map<std::string, modules::Interface> interfaces;
  std::map<std::string, modules::PreparedModules::Read> read;
  std::string needed = file + ":";
  for (const std::string& path : modules::Library(blueprints, sources, {}).paths()) {
    const std::filesystem::path module_file = blueprints / path / "module.yaml";
    needed += " " + module_file.string();
    const source::Span text = sources.add_file(module_file);
    const auto root = source::read_yaml(text, sources, diagnostics);
    if (!root) continue;
    interfaces[path] =
        modules::read_module_file(path, *root, modules::Bodies::read, sources, diagnostics);
    read.emplace(path, modules::PreparedModules::Read{text, interfaces[path]});
  }
  std::fputs(render(diagnostics, source::color_for(2)).c_str(), stderr);
  if (diagnostics.errors() + diagnostics.warnings() > 0) return 1;
  write_file(file, modules::PreparedModules::prepare(read, sources));
  write_file(depfile, needed + "\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return run_main("prepare_modules", [&args] {
    std::string blueprints, file, depfile;
    CommandLine line("prepare_modules",
                     "Prepare the module library for reading: a part of the build.");
    line.positional("BLUEPRINTS", &blueprints);
    line.positional("FILE", &file);
    line.positional("DEPFILE", &depfile);
    return line.parse(args) ? prepare(blueprints, file, depfile) : 0;
  });
}
