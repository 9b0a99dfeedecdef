// The Deployment: a blueprint whose every setting is explicit and knows where it came from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/expression/expression.h"
#include "launcher/modules/interface.h"
#include "launcher/source/sources.h"

namespace slipway::blueprint {

using expression::ExpressionPtr;
using source::Span;

// Where a setting's value came from, in the order of precedence. What no one gives is the module's
// default, and is not in the Deployment.
enum class Origin {
  blueprint,  // written in the module's settings
  used,       // outputs of the modules that it uses
  variable,   // the deployment variable of the same name
  module_id,  // the module's own id
  computed,   // from the machines and what else is set
};

struct Setting {
  ExpressionPtr value;
  Origin origin = Origin::blueprint;
  Span span;                           // the key, the entry of `use`, or the variable
  std::vector<std::string> from = {};  // ids of the used modules, the last one first
  std::vector<Span> replaced = {};     // what an override took the place of, the first one first
};

using Settings = std::map<std::string, Setting>;

struct Variable {
  ExpressionPtr value;
  Span span;                        // of its name
  std::vector<Span> replaced = {};  // definitions that it took the place of, the first one first
};

// A module that another one names, in `use` or `depends_on`.
struct Use {
  std::string module;
  Span span;
  ExpressionPtr name = nullptr;  // over `each`, in a module with `for_each`
};

struct WantedOutput {
  std::string name;
  std::string description;
  bool sensitive = false;
  bool automatic = false;  // wanted by a later group, not by the blueprint
  Span span;
};

struct Module {
  std::string id;
  std::string made_by;  // the id of the `for_each` module that this is an instance of; else empty
  Span id_span;
  std::string source;
  Span source_span;
  std::string kind;                               // "terraform" or "packer"
  const modules::Interface* interface = nullptr;  // null when there is no such module
  std::vector<Use> uses;
  std::vector<Use> depends_on;
  ExpressionPtr when;      // whether it is there at all; null: it is
  ExpressionPtr for_each;  // what an instance is made for each of; null: it is one module
  // A `use` names nothing usable, or `settings` is no mapping: what is missing may be there.
  bool use_failed = false;
  Settings settings;
  std::vector<WantedOutput> outputs;
};

// Where Terraform keeps its state.
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

// What becomes of the findings of validators: `use` without effect, variables that nothing reads.
// In the order of the numbers of `validation_level`.
enum class Level { error, warning, ignore };

struct Validator {
  std::string name;
  Span span;
  Settings inputs;
  bool skip = false;
};

// Settings of one module that are written outside of it: `settings` of a deployment file, or of a
// blueprint that includes the module's.
struct Override {
  std::string module;
  Span span;
  Settings settings;
};

// A file or folder that ghpc_stage() takes along into the deployment folder.
struct StagedFile {
  std::string path;  // as the blueprint writes it
  std::string from;  // where it is
  std::string to;    // its name among the staged files
  Span span;         // of the first call
};

struct Deployment {
  std::vector<std::string> files;  // the blueprint and those that it includes
  std::string blueprint_name;
  Span blueprint_name_span;
  std::string name;  // the value of vars.deployment_name
  std::map<std::string, Variable> variables;
  bool variables_lost = false;  // `vars` cannot be read: what is missing may stand there
  std::vector<Group> groups;
  std::vector<Validator> validators;  // as written
  Level validation_level = Level::error;
  std::optional<Backend> backend_defaults;
  std::vector<Provider> providers;
  std::string toolkit_url;  // where every module of the library is fetched from; may be empty
  std::string toolkit_version;
  Span toolkit_span;
  std::vector<Override> overrides;
  std::vector<StagedFile> staged_files;  // by path
  std::map<std::string, Span> left_out;  // modules whose `when` is false, and where it stands
  // What is read before there are instances: every `when` and `for_each`, and the settings of
  // modules that are left out or have instances.
  std::vector<ExpressionPtr> also_read;
  std::map<std::string, std::vector<std::string>> instances;  // of each `for_each` module

  struct Found {
    const Module* module = nullptr;
    size_t group = 0;  // index in groups
  };
  // The module of an id; module is null when there is none.
  Found find(std::string_view id) const;

  // To be called when modules and their ids are settled: find() is fast from then on.
  void index_modules();
  std::vector<std::string> module_ids() const;
  std::vector<std::string> variable_names() const;

 private:
  struct Position {
    size_t group, module;
  };
  std::map<std::string, Position, std::less<>> positions_;  // empty: not indexed yet
};

}  // namespace slipway::blueprint
