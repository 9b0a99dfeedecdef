// `slipway explain`: shows where the value of a setting comes from, and what a diagnostic means.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/explain_code.h"
#include "launcher/commands/explain_page.h"
#include "launcher/expression/parser.h"
#include "launcher/modules/becomes.h"

namespace slipway::commands {
namespace {

using blueprint::Deployment;
using blueprint::Module;

std::string suggestion(const std::string& typed, const std::vector<std::string>& known,
                       const std::string& kind) {
  const std::string guess = nearest(typed, known);
  if (!guess.empty()) return fmt::format("; did you mean `{}`?", guess);
  return known.empty() ? "" : fmt::format("; the {} are: {}", kind, slipway::join(known, ", "));
}

// MODULE, MODULE.SETTING, MODULE.SETTING.part, vars, vars.NAME or vars.NAME.part.
struct Wanted {
  std::string module;
  std::string name;  // empty: all of them
  Path path;         // to a part of the setting
};

Wanted parse_wanted(const std::string& text) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return {text, "", {}};
  const size_t end = std::min(text.find_first_of(".[", dot + 1), text.size());
  if (dot == 0 || end == dot + 1) {
    throw UsageError(fmt::format("`{}` is not MODULE, MODULE.SETTING or vars.NAME", text));
  }
  return {text.substr(0, dot), text.substr(dot + 1, end - dot - 1), parse_path(text.substr(end))};
}

std::vector<std::string> names_of(const Module& module) {
  if (module.interface != nullptr) {
    std::vector<std::string> names;
    for (const modules::Input& input : module.interface->inputs) {
      if (input.gone.empty() || module.settings.contains(input.name)) names.push_back(input.name);
    }
    return names;
  }
  std::vector<std::string> names;
  for (const auto& [name, setting] : module.settings) names.push_back(name);
  return names;
}

std::vector<Explanation> explain(const Deployment& deployment, const Wanted& wanted,
                                 Explainer& explainer) {
  const auto require = [&](const std::vector<std::string>& known, const std::string& what,
                           const std::string& kind) {
    if (wanted.name.empty()) return known;
    if (std::find(known.begin(), known.end(), wanted.name) == known.end()) {
      throw Error(
          fmt::format("{} `{}`{}", what, wanted.name, suggestion(wanted.name, known, kind)));
    }
    return std::vector{wanted.name};
  };
  std::vector<Explanation> explanations;
  if (wanted.module == "vars") {
    for (const std::string& name :
         require(deployment.variable_names(), "there is no variable", "variables")) {
      explanations.push_back(explainer.variable(name, wanted.path));
    }
    return explanations;
  }
  const Module* module = deployment.find(wanted.module).module;
  if (module == nullptr) {
    const auto instances = deployment.instances.find(wanted.module);
    if (instances != deployment.instances.end()) {
      throw Error(fmt::format("`{}` is made for each of {}: {}", wanted.module,
                              instances->second.size(), slipway::join(instances->second, ", ")));
    }
    if (deployment.left_out.contains(wanted.module)) {
      throw Error(fmt::format("the module `{}` is left out: its `when` is false", wanted.module));
    }
    std::vector<std::string> known = deployment.module_ids();
    throw Error(fmt::format("there is no module `{}`{}", wanted.module,
                            suggestion(wanted.module, known, "modules")));
  }
  for (const std::string& name : require(
           names_of(*module), fmt::format("module `{}` has no setting", module->id), "settings")) {
    explanations.push_back(explainer.setting(*module, name, wanted.path));
  }
  return explanations;
}

// The diagnostics of the setting that the user asks about, as `slipway check` prints them.
std::string complaints(const source::Diagnostics& diagnostics, const Deployment& deployment,
                       const Wanted& wanted) {
  const Module* module = deployment.find(wanted.module).module;
  if (module == nullptr || !module->settings.contains(wanted.name)) return "";
  const blueprint::Setting& setting = module->settings.at(wanted.name);
  if (setting.origin != blueprint::Origin::blueprint) return "";
  const source::Span all = source::join(setting.span, setting.value->span);
  std::string text;
  for (const source::Diagnostic& diagnostic : diagnostics.sorted()) {
    const bool within = all.begin <= diagnostic.span.begin && diagnostic.span.end <= all.end;
    if (within) text += render(diagnostic, diagnostics.sources(), source::color_for(STDERR_FILENO));
  }
  return text;
}

std::string heading(const Deployment& deployment, const Wanted& wanted, const Paint& paint) {
  const Module* module = deployment.find(wanted.module).module;
  if (module == nullptr) return paint.bold("vars") + "\n\n";
  std::string text = fmt::format("{}: {}\n", paint.bold(module->id), module->source);
  if (module->interface != nullptr) {
    text += wrapped(module->interface->about, 0);
    text += wrapped(
        fmt::format("On Google Cloud: {}.", modules::on_google(*module->interface).text), 0);
    text += wrapped(
        fmt::format("On this machine: {}.", modules::on_this_machine(*module->interface).text), 0);
  }
  if (!module->made_by.empty()) {
    text += fmt::format("An instance of `{}` (`for_each`).\n", module->made_by);
  }
  return text + "\n";
}

}  // namespace

int explain(Args args) {
  BlueprintInput input;
  std::string what;
  bool full = false;
  bool json = false;
  CommandLine line("slipway explain",
                   "Show where the value of a setting comes from, or explain a diagnostic.");
  line.about(
      "The value is traced back through `use`, outputs and variables to where it is written; "
      "sources that lost are listed, too. Without SETTING, all settings of a module are printed "
      "as a table. `vars` means the variables: `vars`, `vars.NAME`.\n\n"
      "With a code such as E0203, its page is printed: what it means, an example, and what to do.");
  input.add_options(line, "BLUEPRINT|CODE");
  line.positional("MODULE[.SETTING]", &what, Arity::optional);
  line.flag("full", "print scripts and other long texts whole", &full);
  line.json("schema slipway/explain/1", &json);
  line.example("slipway explain examples/quickstart.yaml homefs.network_id",
               "show which network the file system is in, and why");
  line.example("slipway explain examples/quickstart.yaml controller",
               "list every setting of the controller");
  line.example("slipway explain cluster.yaml 'controller.network_storage[0].local_mount'",
               "trace one part of a setting");
  line.example("slipway explain cluster.yaml vars.zone -d site.yaml",
               "show which file sets the zone, and which modules read it");
  line.example("slipway explain cluster.yaml setup.runners --full",
               "print the scripts that it runs");
  line.example("slipway explain E0203", "read about a diagnostic");
  line.see_also("slipway-check(1)");
  line.see_also("slipway-modules(1)");
  if (!line.parse(args)) return 0;
  if (is_code(input.blueprint)) return explain_code(input.blueprint, what);
  if (what.empty()) throw UsageError("MODULE[.SETTING] is missing");
  const Wanted wanted = parse_wanted(what);

  LoadedBlueprint loaded(input, Purpose::deployment);
  const Deployment& deployment = loaded.deployment_with_errors();
  Explainer explainer(loaded.diagnostics(), deployment);
  const std::vector<Explanation> explanations = explain(deployment, wanted, explainer);
  const source::Sources& sources = loaded.diagnostics().sources();
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const Explanation& one : explanations) list.push_back(to_json(one, sources));
    const nlohmann::ordered_json tree{{"schema", "slipway/explain/1"},
                                      {"errors", loaded.diagnostics().errors()},
                                      {"explanations", std::move(list)}};
    fmt::print("{}\n", tree.dump(2));
  } else {
    const std::string library = find_installation().blueprints().string();
    const Paint paint = stdout_paint();
    const std::string page =
        wanted.name.empty()
            ? heading(deployment, wanted, paint) +
                  explain_table(explanations, sources, library, input.blueprint, paint)
            : explain_page(explanations[0], sources, library, paint, full);
    std::fputs(for_locale(page).c_str(), stdout);
  }
  const size_t errors = loaded.diagnostics().errors();
  if (errors > 0 && input.diagnostics == "text") {
    fmt::print(stderr, "{}", complaints(loaded.diagnostics(), deployment, wanted));
    fmt::print(stderr, "the blueprint has {}; `slipway check` shows {}\n", counted(errors, "error"),
               errors == 1 ? "it" : "them");
  }
  return 0;
}

}  // namespace slipway::commands
