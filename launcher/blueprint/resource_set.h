// The members of a resource of a module file in a deployment, after `when` and `for_each`.
#pragma once

#include <string>
#include <vector>

#include "launcher/expression/value.h"
#include "launcher/modules/interface.h"

namespace slipway::blueprint {

struct ResourceSet {
  enum class Shape {
    open,    // being computed, or cannot be computed
    absent,  // its `when` is false, and it has no `for_each`
    one,
    list,  // from a `for_each` over a list; the keys are 0, 1, …
    map,
  };
  struct Member {
    std::string name;           // in Terraform
    expression::Value key{};    // each.key
    expression::Value value{};  // each.value
  };
  Shape shape = Shape::open;
  std::vector<Member> members;
};

// `when` and `for_each` are the values of the resource's expressions, or true and null without
// them. Throws ExpressionError if they have the wrong type or are unknown.
ResourceSet make_resource_set(const std::string& module_id, const modules::Resource& resource,
                              const expression::Value& when, const expression::Value& for_each);

// The value of a reference to the resource: unknown attributes with Terraform's names, or a list or
// object of such members.
expression::Value meaning(const modules::Resource& resource, const ResourceSet& set);

}  // namespace slipway::blueprint
