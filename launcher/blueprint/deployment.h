// The Deployment: a blueprint whose every setting is explicit and knows where it came from.
#pragma once

#include <map>
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
};

struct Variable {
  ExpressionPtr value;
  Span span;  // of its name
};

struct Use {
  std::string module;
  Span span;
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
  Span id_span;
  std::string source;
  Span source_span;
  std::string kind;                               // "terraform" or "packer"
  const modules::Interface* interface = nullptr;  // null when there is no such module
  std::vector<Use> uses;
  bool use_failed = false;  // a `use` names nothing usable: what is missing may have come from it
  std::map<std::string, Setting> settings;
  std::vector<WantedOutput> outputs;
};

struct Group {
  std::string name;
  Span span;
  std::vector<Module> modules;
  ExpressionPtr backend;  // terraform_backend, terraform_providers: null when not given
  ExpressionPtr providers;
};

struct Deployment {
  std::string blueprint_name;
  Span blueprint_name_span;
  std::string name;  // the value of vars.deployment_name
  std::map<std::string, Variable> variables;
  std::vector<Group> groups;
  ExpressionPtr validators;  // as written; null when not given
  ExpressionPtr backend_defaults;
  ExpressionPtr providers;
  std::vector<std::string> skipped_validators;

  struct Found {
    const Module* module = nullptr;
    size_t group = 0;  // index in groups
  };
  // The module of an id; module is null when there is none.
  Found find(std::string_view id) const;
  std::vector<std::string> module_ids() const;
  std::vector<std::string> variable_names() const;
};

}  // namespace slipway::blueprint
