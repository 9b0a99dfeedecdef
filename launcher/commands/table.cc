// The table of verbs, and how a verb is found in it.
#include <fmt/core.h>

#include <map>

#include "common/command_line.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/commands/bandwidth.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {
namespace {

// What people type who know gcluster, Terraform or kubectl, and what to write here.
const std::map<std::string, std::string>& other_names() {
  static const std::map<std::string, std::string> names{
      {"apply", "write `slipway deploy BLUEPRINT`"},
      {"delete", "write `slipway destroy DEPLOYMENT`"},
      {"down", "write `slipway destroy DEPLOYMENT`"},
      {"export-outputs",
       "`slipway deploy` passes outputs between groups; to do it by hand, instructions.txt in the "
       "deployment's folder has the commands"},
      {"import-inputs",
       "`slipway deploy` passes outputs between groups; to do it by hand, instructions.txt in the "
       "deployment's folder has the commands"},
      {"list", "write `slipway status`"},
      {"show", "write `slipway status DEPLOYMENT`"},
      {"ssh", "write `slipway exec DEPLOYMENT NODE`"},
      {"up", "write `slipway deploy BLUEPRINT`"},
      {"validate", "write `slipway check BLUEPRINT`"}};
  return names;
}

}  // namespace

std::span<const Command> table() {
  static constexpr const char* blueprints = "Blueprints";
  static constexpr const char* clusters = "Clusters";
  static constexpr const char* cloud = "Google Cloud";
  static constexpr const char* jobs = "Training jobs";
  static constexpr const char* nodes = "Nodes";
  static constexpr const char* self = "Help";
  static constexpr Command commands[] = {
      {"modules", blueprints, modules},
      {"check", blueprints, check},
      {"fetch", blueprints, fetch},
      {"explain", blueprints, explain},
      {"expand", blueprints, expand},
      {"graph", blueprints, graph},
      {"model", blueprints, model},
      {"fmt", blueprints, format},
      {"migrate", blueprints, migrate},
      {"lsp", blueprints, lsp},
      {"schema", blueprints, schema},
      {"deploy", clusters, deploy},
      {"status", clusters, status},
      {"exec", clusters, exec},
      {"fault", clusters, fault},
      {"destroy", clusters, destroy},
      {"image", clusters, image},
      {"cluster", clusters, cluster},
      {"quota", cloud, quota},
      {"create", cloud, create},
      {"plan", cloud, plan},
      {"container", jobs, container},
      {"launch", jobs, launch},
      {"run", jobs, run},
      {"job", jobs, job},
      {"ledger", jobs, ledger},
      {"rehearse", jobs, rehearse},
      {"report", jobs, report},
      {"health", nodes, health},
      {"node", nodes, node},
      {"bandwidth", nodes, bandwidth},
      {"metrics", nodes, metrics},
      {"tell", nodes, tell},
      {"doctor", self, doctor},
      {"help", self, help},
      {"version", self, version},
      {"completion", self, completion},
  };
  return commands;
}

const Command& find_command(const std::string& verb) {
  std::vector<std::string> known;
  for (const Command& command : table()) {
    if (verb == command.name) return command;
    known.emplace_back(command.name);
  }
  if (const auto other = other_names().find(verb); other != other_names().end()) {
    throw UsageError(fmt::format("unknown command `{}`; {}", verb, other->second));
  }
  const std::string guess = nearest(verb, known);
  throw UsageError(guess.empty()
                       ? fmt::format("unknown command `{}`; `slipway help` lists them", verb)
                       : fmt::format("unknown command `{}`; did you mean `{}`?", verb, guess));
}

CommandDescription description_of(const Command& command, std::vector<std::string> parts) {
  return describe([&] { command.run(parts); });
}

}  // namespace slipway::commands
