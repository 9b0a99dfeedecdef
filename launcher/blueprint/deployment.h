// The Deployment: a compiled blueprint, in which every setting is explicit and has its origin.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/blueprint/machines.h"
#include "launcher/expression/expression.h"
#include "launcher/modules/interface.h"
#include "launcher/source/sources.h"

namespace slipway::blueprint {

using expression::ExpressionPtr;
using source::Span;

// Where a setting's value came from, in order of precedence. Settings left to the module's default
// are not in the Deployment.
enum class Origin {
  blueprint,  // written in the module's settings
  used,       // outputs of the modules that it uses
  variable,   // the deployment variable with the same name
  module_id,  // the module's own id
  computed,   // from the machine types and other settings
};

struct Setting {
  ExpressionPtr value;
  Origin origin = Origin::blueprint;
  Span span;                           // the key, the entry of `use`, or the variable
  std::vector<std::string> from = {};  // ids of the used modules, the last one first
  std::vector<Span> replaced = {};     // overridden settings, the first one first

  // The value, if it is written, or else the setting.
  Span place() const { return value->span ? value->span : span; }
};

using Settings = std::map<std::string, Setting>;

struct Variable {
  ExpressionPtr value;
  Span span;                        // of its name
  std::vector<Span> replaced = {};  // overridden definitions, the first one first
};

// An entry of `use` or `depends_on`.
struct Use {
  std::string module;
  Span span;
  ExpressionPtr name = nullptr;  // over `each`, in a module with `for_each`
};

struct WantedOutput {
  std::string name;
  std::string description;
  bool sensitive = false;
  bool automatic = false;  // needed by a later group, not listed in the blueprint
  Span span;
};

struct Module {
  std::string id;
  std::string made_by;  // id of the `for_each` module of which this is an instance; otherwise empty
  Span id_span;
  std::string source;
  Span source_span;
  std::string kind;                               // "terraform" or "packer"
  const modules::Interface* interface = nullptr;  // null if the module does not exist
  std::vector<Use> uses;
  std::vector<Use> depends_on;
  ExpressionPtr when;      // condition for including it; null: always
  ExpressionPtr for_each;  // a list or mapping with an item for each instance; null: one module
  // A `use` is wrong or `settings` is not a mapping, so missing settings are not reported.
  bool use_failed = false;
  Settings settings;
  std::vector<WantedOutput> outputs;
};

// Where Terraform stores its state.
struct Backend {
  std::string type;
  Span span;
  ExpressionPtr configuration;  // a mapping; null when not given
};

struct Provider {
  std::string name;
  Span span;
  std::string source;
  std::string version;
  ExpressionPtr configuration;  // a mapping; null when not given
};

struct Group {
  std::string name;
  Span span;
  std::vector<Module> modules;
  std::optional<Backend> backend;
  std::vector<Provider> providers;
};

// The severity of findings of validators, such as unused variables. In the order of the numbers of
// `validation_level`.
enum class Level { error, warning, ignore };

struct Validator {
  std::string name;
  Span span;
  Settings inputs;
  bool skip = false;
};

// Settings for a module from elsewhere: from `settings` in a deployment file, or in a blueprint
// that includes the module's blueprint.
struct Override {
  std::string module;
  Span span;
  Settings settings;
};

// A file or folder that ghpc_stage() copies to the deployment folder.
struct StagedFile {
  std::string path;  // as written in the blueprint
  std::string from;  // its path on this machine
  std::string to;    // the name of the copy
  Span span;         // of the first call
};

struct Deployment {
  std::vector<std::string> files;  // the blueprint and its includes
  std::string blueprint_name;
  Span blueprint_name_span;
  std::string name;  // the value of vars.deployment_name
  std::map<std::string, Variable> variables;
  bool variables_lost = false;  // `vars` cannot be read, so missing variables are not reported
  std::vector<Group> groups;
  std::vector<Validator> validators;  // as written
  Level validation_level = Level::error;
  std::optional<Backend> backend_defaults;
  std::vector<Provider> providers;
  std::optional<Machines> machines;  // the hosts that the cluster runs on, if they exist already
  std::string toolkit_url;           // of a copy of the library to use; may be empty
  std::string toolkit_version;
  Span toolkit_span;
  std::vector<Override> overrides;
  std::vector<StagedFile> staged_files;  // by path
  std::map<std::string, Span> left_out;  // modules whose `when` is false, and its place
  // Expressions that instances no longer contain: every `when` and `for_each`, and the settings of
  // modules that were excluded or replaced by instances.
  std::vector<ExpressionPtr> also_read;
  std::map<std::string, std::vector<std::string>> instances;  // of each `for_each` module
  std::vector<std::shared_ptr<const modules::Interface>> made_interfaces;  // for this deployment

  struct Found {
    const Module* module = nullptr;
    size_t group = 0;  // index in groups
  };
  // The module with this id; `module` is null if there is no such module.
  Found find(std::string_view id) const;

  // The module of which a value is an output that is not known yet; null for other values.
  const Module* source_of(const expression::Value& value) const;

  // Nothing of a cloud is made for such a module.
  bool has_hosts(std::string_view module) const {
    return machines && machines->of(module) != nullptr;
  }

  // Makes find() fast. Call when modules and their ids no longer change.
  void index_modules();
  std::vector<std::string> module_ids() const;
  std::vector<std::string> variable_names() const;

 private:
  struct Position {
    size_t group, module;
  };
  std::map<std::string, Position, std::less<>> positions_;  // empty: not indexed
};

}  // namespace slipway::blueprint
