// Tests the members of resources, and references to them.
#include "launcher/blueprint/resource_set.h"

#include "launcher/expression/evaluate.h"
#include "tests/unit/catch.h"

using namespace slipway;
using blueprint::ResourceSet;
using expression::Value;

namespace {

modules::Resource resource(const std::string& name, bool has_for_each) {
  modules::Resource resource;
  resource.type = "google_x";
  resource.name = name;
  if (has_for_each) resource.for_each = expression::parse("[]");
  return resource;
}

Value unknown() {
  return expression::Unknown{expression::parse("module.a.b"), {}};
}

// The value of a reference to the resource, as HCL.
std::string meaning(const modules::Resource& resource, const Value& when, const Value& for_each) {
  const ResourceSet set = blueprint::make_resource_set("net", resource, when, for_each);
  return to_hcl(*to_expression(blueprint::meaning(resource, set)));
}

std::string error(const modules::Resource& resource, const Value& when, const Value& for_each) {
  try {
    blueprint::make_resource_set("net", resource, when, for_each);
    return "no error";
  } catch (const expression::ExpressionError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("resource set: the main resource has the module's name, others append theirs") {
  CHECK(meaning(resource("this", false), true, {}) == "google_x.net");
  CHECK(meaning(resource("router", false), true, {}) == "google_x.net_router");
  modules::Resource found = resource("image", false);
  found.looked_up = true;
  CHECK(meaning(found, true, {}) == "data.google_x.net_image");
}

TEST_CASE("resource set: an absent resource is null or an empty list") {
  CHECK(meaning(resource("this", false), false, {}) == "null");
  CHECK(meaning(resource("this", true), false, {}) == "[]");
  CHECK(meaning(resource("this", true), true, {}) == "[]");
}

TEST_CASE("resource set: for_each over a list gives a list, over a mapping an object") {
  CHECK(meaning(resource("sub", true), true, Value::List{Value("a"), unknown()}) ==
        "[google_x.net_sub_0, google_x.net_sub_1]");
  CHECK(meaning(resource("this", true), true,
                Value::Object{{"a.b/c", Value(1)}, {"d_e", unknown()}}) ==
        "{ \"a.b/c\" = google_x.net_a-b-c, d_e = google_x.net_d_e }");
}

TEST_CASE("resource set: a value unknown before deployment is an error") {
  const modules::Resource many = resource("sub", true);
  CHECK(error(many, unknown(), {}) == "`when` of `google_x.sub` must be known before deployment");
  CHECK(error(many, true, unknown()) ==
        "`for_each` of `google_x.sub` must be known before deployment");
  CHECK(error(many, "perhaps", {}) == "`when` must be true or false, but this is a string");
  CHECK(error(many, true, 3) == "`for_each` must be a list or a mapping, but this is a number");
}
