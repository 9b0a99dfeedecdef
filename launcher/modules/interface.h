// A module's interface, read from its module.yaml (docs/reference/module-files.md) or from the
// variables and outputs of a Terraform or Packer module.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/expression/expression.h"
#include "launcher/expression/type.h"
#include "launcher/source/sources.h"

namespace slipway::modules {

using source::Span;

struct Input {
  std::string name;
  Span span;  // of the name in the module file
  expression::Type type;
  bool required = false;  // it has no default
  bool nullable = true;   // false: null means the default
  expression::Value default_value;
  std::string help;
  std::vector<std::string> one_of;  // the allowed values; empty: any
  std::string gone;                 // what replaces an input that was removed; empty: not removed
  std::string no_effect;            // why it has no effect on Google Cloud; empty: it has one
  // The kind of place that it names, or that attributes of it name, by attribute; "" is its own.
  std::map<std::string, std::string> places;
};

struct Output {
  std::string name;
  Span span;
  expression::ExpressionPtr value;  // over input, local and resources; null: known after deployment
  expression::Type type;            // `any` if the file does not specify it
  std::string help;
  bool sensitive = false;  // a secret: never shown
};

// A Terraform resource that the module creates on Google Cloud, or several with `for_each`.
struct Resource {
  std::string type;                     // "google_compute_network"
  std::string name;                     // "this" for the main one
  bool looked_up = false;               // a data source, written as data.TYPE.NAME
  Span span;                            // of the key
  expression::ExpressionPtr for_each;   // null: a single resource
  expression::ExpressionPtr when;       // null: always
  std::vector<std::string> depends_on;  // references to resources of the same file
  // A mapping of attributes, blocks and meta-arguments. Null if the library skips bodies.
  expression::ExpressionPtr body;

  std::string reference() const;  // "google_compute_network.this", "data.google_x.this"
};

// A condition that the inputs must satisfy.
struct Rule {
  expression::ExpressionPtr that;
  std::string at;       // the input at which a violation is reported
  std::string message;  // for a violation
  bool warning = false;
  bool validator = false;  // of a Terraform module's metadata: obeys the level of validators
};

// Cluster Toolkit's own module in place of one with resources.
struct ToolkitInstead {
  std::vector<std::string> when_set;  // inputs that only it understands
  std::vector<std::string> ours;      // inputs and outputs that it does not have
  Resource call;                      // see toolkit_module() in becomes.h; has its body
};

struct Interface {
  std::string path;         // "modules/network/vpc"; for a foreign module, the source as written
  bool foreign = false;     // a Terraform or Packer module, passed through unchanged
  std::string folder;       // its folder on this machine
  bool unreadable = false;  // a file cannot be read, so nothing is known about the module
  std::string about;
  std::string kind = "terraform";  // or "packer"
  std::vector<Input> inputs;       // in file order
  std::vector<Output> outputs;
  std::vector<Rule> rules;
  std::map<std::string, expression::ExpressionPtr> locals;
  std::vector<std::string> apis;  // Google services that it needs: "compute.googleapis.com"
  std::string id_input;           // the input that defaults to the module's id; may be empty
  bool must_be_used = false;
  std::optional<std::vector<Resource>> resources;  // absent if the module has only an interface
  std::optional<ToolkitInstead> toolkit_instead;
  expression::ExpressionPtr
      packer_template;              // the Packer template of a module that builds an image
  expression::ExpressionPtr model;  // its part of the cluster model; may be null
  std::string local;                // why a local cluster does not need it; may be empty

  const Input* input(std::string_view name) const;
  const Output* output(std::string_view name) const;
  const Resource* resource(std::string_view reference) const;
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;
};

}  // namespace slipway::modules
