// `slipway lsp`: a language server for editors.
#include <fmt/core.h>
#include <unistd.h>

#include <csignal>

#include "common/command_line.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/kept.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/explain_page.h"
#include "launcher/commands/module_page.h"
#include "launcher/editor/session.h"
#include "launcher/source/codes.h"

namespace slipway::commands {
namespace {

// The options of the command line, for every blueprint that is open.
using EditorOptions = BlueprintInput;

BlueprintInput input_for(const EditorOptions& options, const std::string& path,
                         const std::string& text) {
  BlueprintInput input = options;
  input.blueprint = path;
  input.text = text;
  input.shows_diagnostics = false;
  return input;
}

// The blueprint that was read last. An editor asks about it several times before it changes.
class LastBlueprint {
 public:
  explicit LastBlueprint(EditorOptions options) : options_(std::move(options)) {}

  LoadedBlueprint& read(const std::string& path, const std::string& text) {
    blueprint_ = nullptr;
    blueprint_ =
        std::make_unique<LoadedBlueprint>(input_for(options_, path, text), Purpose::definitions);
    path_ = path;
    text_ = text;
    files_ = files_now();
    return *blueprint_;
  }

  // Reads it again if it is another one, or one of its files has changed.
  LoadedBlueprint& get(const std::string& path, const std::string& text) {
    const bool is_same = blueprint_ && path == path_ && text == text_ && files_ == files_now();
    return is_same ? *blueprint_ : read(path, text);
  }

 private:
  FolderState files_now() const {
    FolderState state;
    for (const std::string& file : blueprint_->diagnostics().sources().names()) {
      state[file] = state_of_file(file);  // nothing for the editor's texts
    }
    return state;
  }

  EditorOptions options_;
  std::string path_, text_;
  std::unique_ptr<LoadedBlueprint> blueprint_;
  FolderState files_;
};

std::filesystem::path file_of_page(const std::string& code) {
  return find_installation().docs() / "diagnostics" / (code + ".md");
}

std::string page_of(const std::string& code) {
  std::error_code none;
  const auto file = file_of_page(code);
  return std::filesystem::exists(file, none) ? read_file(file) : std::string();
}

// What `slipway explain BLUEPRINT MODULE.SETTING` prints; empty if it cannot tell.
std::string explanation_of(LastBlueprint& last, const std::string& path, const std::string& text,
                           const std::string& id, const std::string& name) {
  try {
    LoadedBlueprint& loaded = last.get(path, text);
    const blueprint::Deployment& deployment = loaded.deployment_with_errors();
    Explainer explainer(loaded.diagnostics(), deployment);
    const blueprint::Module* module = deployment.find(id).module;
    if (id != "vars" && module == nullptr) return {};
    const Explanation explanation =
        id == "vars" ? explainer.variable(name, {}) : explainer.setting(*module, name, {});
    return explain_page(explanation, loaded.diagnostics().sources(),
                        find_installation().blueprints().string(), Paint(source::Color::never));
  } catch (const Error&) {  // half a blueprint: its mistakes are shown as diagnostics
    return {};
  }
}

// The settings of modules that a variable sets because they have its name.
std::vector<std::string> settings_set_by(LoadedBlueprint& loaded, const std::string& variable) {
  std::vector<std::string> found;
  for (const blueprint::Group& group : loaded.deployment_with_errors().groups) {
    for (const blueprint::Module& module : group.modules) {
      const auto setting = module.settings.find(variable);
      const bool is_set =
          setting != module.settings.end() && setting->second.origin == blueprint::Origin::variable;
      if (is_set) found.push_back(module.id + "." + variable);
    }
  }
  return found;
}

editor::Services services(const EditorOptions& options) {
  const auto last = std::make_shared<LastBlueprint>(options);
  editor::Services services;
  services.library = find_installation().blueprints().string();
  services.check = [last](const std::string& path, const std::string& text, const auto& see) {
    LoadedBlueprint& loaded = last->read(path, text);
    loaded.check({true, true});
    see(loaded.diagnostics());
  };
  services.page = page_of;
  services.page_file = [](const std::string& code) { return file_of_page(code).string(); };
  services.module_page = [](const modules::Interface& interface) {
    return module_page(interface, Paint(source::Color::never));
  };
  services.explain = [last](const std::string& path, const std::string& text, const std::string& id,
                            const std::string& name) {
    return explanation_of(*last, path, text, id, name);
  };
  services.set_by_name = [last](const std::string& path, const std::string& text,
                                const std::string& variable) {
    return settings_set_by(last->get(path, text), variable);
  };
  return services;
}

}  // namespace

int lsp(Args args) {
  EditorOptions options;
  options.known = std::make_shared<blueprint::KnownModules>();
  bool stdio = false;
  CommandLine line("slipway lsp", "Check and complete blueprints in your editor.");
  line.about(
      "A language server: an editor starts it and talks to it over stdin and stdout in the "
      "Language "
      "Server Protocol. It reports the mistakes that `slipway check` finds as you type, completes "
      "modules, settings, ids and variables, explains what is under the cursor, finds definitions, "
      "renames, and formats as `slipway fmt` does.\n\n"
      "The guide on editors shows how to set up yours: guides/editor.md in the documentation.");
  line.option("deployment-file,d", "FILE",
              "take variables from this file, overriding the blueprint's",
              &options.deployment_files);
  line.option("vars", "NAME=VALUE", "set a variable, overriding both; the value is YAML",
              &options.vars);
  line.flag("stdio", "ignored: many editors give it to every server", &stdio);
  line.hide();
  line.example("slipway lsp", "what an editor runs");
  line.example("slipway lsp -d site.yaml", "check blueprints with your site's variables");
  line.exit_status("1", "the editor ended the session without `shutdown`, or is gone");
  line.see_also("slipway-check(1)");
  line.see_also("slipway-fmt(1)");
  if (!line.parse(args)) return 0;
  std::signal(SIGPIPE, SIG_IGN);  // an editor that is gone is an error, not a signal
  editor::MessageStream stream(STDIN_FILENO, STDOUT_FILENO);
  return editor::Session(stream, services(options)).run();
}

}  // namespace slipway::commands
