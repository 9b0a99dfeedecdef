// What a resource of a module file becomes in a deployment, after `when` and `for_each`.
#pragma once

#include <string>
#include <vector>

#include "launcher/expression/value.h"
#include "launcher/modules/interface.h"

namespace slipway::blueprint {

struct ResourceSet {
  enum class Shape {
    open,    // it is being computed, or cannot be
    absent,  // its `when` is false, and it has no `for_each`
    one,
    list,  // of a `for_each` over a list: its members have the keys 0, 1, …
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

// `when` and `for_each` are the values of the resource's expressions; those that it does not have
// are true and null. Throws ExpressionError when they are not what they must be.
ResourceSet make_resource_set(const std::string& module_id, const modules::Resource& resource,
                              const expression::Value& when, const expression::Value& for_each);

// What a reference to the resource means: unknown attributes, in Terraform's names; one for each
// member in a list or an object.
expression::Value meaning(const modules::Resource& resource, const ResourceSet& set);

}  // namespace slipway::blueprint
