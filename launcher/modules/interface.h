// A module's interface, as its module.yaml gives it (docs/module-files.md), or the variables and
// outputs of a Terraform or Packer module.
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
  std::vector<std::string> one_of;  // the values that it may have; empty: any
  std::string gone;       // what takes the place of an input that is no more; empty: it is there
  std::string no_effect;  // why it changes nothing on Google Cloud; empty: it does
};

struct Output {
  std::string name;
  Span span;
  expression::ExpressionPtr value;  // over input, local and resources; null: known after deployment
  expression::Type type;            // `any` when the file does not say
  std::string help;
  bool sensitive = false;  // a secret: never shown
};

// What the module becomes on Google Cloud: a resource of Terraform, or one for each of several
// things.
struct Resource {
  std::string type;                     // "google_compute_network"
  std::string name;                     // "this" is the main one
  bool looked_up = false;               // written as data.TYPE.NAME: found, not made
  Span span;                            // of the key
  expression::ExpressionPtr for_each;   // null: there is one
  expression::ExpressionPtr when;       // null: it is there always
  std::vector<std::string> depends_on;  // as they are referred to, each one of the file's
  // A mapping: attributes, blocks and the rest. Null when the library was told to leave it out.
  expression::ExpressionPtr body;

  std::string reference() const;  // "google_compute_network.this", "data.google_x.this"
};

// A condition that the inputs must keep.
struct Rule {
  expression::ExpressionPtr that;
  std::string at;       // the input that a broken rule is shown at
  std::string message;  // what is wrong when it does not hold
  bool warning = false;
};

struct Interface {
  std::string path;         // "modules/network/vpc"; of a foreign module the source as written
  bool foreign = false;     // a Terraform or Packer module, passed through as it is
  std::string folder;       // where it lies on this machine
  bool unreadable = false;  // a file cannot be read: nothing is known of the module
  std::string about;
  std::string kind = "terraform";  // or "packer"
  std::vector<Input> inputs;       // in the order of the file
  std::vector<Output> outputs;
  std::vector<Rule> rules;
  std::map<std::string, expression::ExpressionPtr> locals;
  std::vector<std::string> apis;  // services of Google that it needs: "compute.googleapis.com"
  std::string id_input;  // the input that is the module's id unless it is set; may be empty
  bool must_be_used = false;
  std::optional<std::vector<Resource>> resources;  // none: it has an interface only
  expression::ExpressionPtr packer_template;  // what Packer gets of a module that builds an image
  expression::ExpressionPtr model;            // what it means for the cluster; null: nothing
  std::string local;  // why a cluster on one machine does without it; may be empty

  const Input* input(std::string_view name) const;
  const Output* output(std::string_view name) const;
  const Resource* resource(std::string_view reference) const;
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;
};

}  // namespace slipway::modules
