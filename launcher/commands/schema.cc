// `slipway schema`: the JSON Schema of blueprints, for editors.
#include "common/command_line.h"
#include "common/error.h"
#include "common/installation.h"
#include "launcher/commands/blueprint_schema.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/modules/library.h"

namespace slipway::commands {

int schema(Args args) {
  std::string output = "-";
  CommandLine line("slipway schema", "[-o FILE]",
                   "Print the JSON Schema of blueprints, so that an editor completes, explains and "
                   "checks them\nwhile you write. It knows every module of the library.");
  line.option("output,o", "FILE", "where to write it, - for stdout (default -)", &output);
  line.example("slipway schema -o blueprint.schema.json",
               "then, as the first line of a blueprint beside it:\n"
               "      # yaml-language-server: $schema=blueprint.schema.json");
  line.example("slipway schema | jq '.definitions[\"modules.network.vpc\"]'",
               "the settings of one module");
  if (!line.parse(args)) return 0;

  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  modules::Library library(find_installation().blueprints(), sources);
  std::vector<const modules::Interface*> all;
  for (const std::string& path : library.paths()) {
    const modules::Interface* interface = library.find(path, diagnostics);
    if (!interface->unreadable) all.push_back(interface);
  }
  show(diagnostics);
  if (diagnostics.errors() > 0) throw ReportedError("the module library has errors");
  write_result(output, blueprint_schema(all).dump(1) + "\n");
  return 0;
}

}  // namespace slipway::commands
