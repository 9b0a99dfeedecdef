// `slipway schema`: prints the JSON Schema of blueprints, for editors.
#include "common/command_line.h"

#include <nlohmann/json.hpp>
#include "common/error.h"
#include "common/installation.h"
#include "launcher/commands/blueprint_schema.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/modules/library.h"

namespace slipway::commands {

int schema(Args args) {
  std::string output = "-";
  bool json = false;
  CommandLine line("slipway schema", "Print the JSON Schema of blueprints, for your editor.");
  line.about(
      "With it, an editor completes, explains and checks blueprints as you type. It has every "
      "module of the library.");
  line.option("output,o", "FILE", "write it to this file; - is stdout", &output);
  line.json("the only format", &json, "");
  line.example("slipway schema -o blueprint.schema.json",
               "then write as the first line of a blueprint:\n"
               "  # yaml-language-server: $schema=blueprint.schema.json");
  line.example("slipway schema | jq '.definitions[\"modules.network.vpc\"]'",
               "print the settings of one module");
  line.see_also("slipway-check(1)");
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
