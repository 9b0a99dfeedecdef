// Tests of values that share their parts.
#include "tests/unit/catch.h"
#include "launcher/expression/value.h"

using slipway::expression::Extent;
using slipway::expression::Unknown;
using slipway::expression::Value;
using List = Value::List;
using Object = Value::Object;

TEST_CASE("values: a change of a copy leaves the other copies unchanged") {
  const Value first(List{1, Object{{"key", "text"}}});
  Value copy = first;
  CHECK(copy.as<List>() == first.as<List>());
  copy.edit<List>()->push_back(2);
  copy.edit<List>()->at(1).edit<Object>()->at("key") = "other";
  CHECK(first == Value(List{1, Object{{"key", "text"}}}));
  CHECK(copy == Value(List{1, Object{{"key", "other"}}, 2}));
}

TEST_CASE("values: only lists and objects have parts to change") {
  Value number(5);
  CHECK(number.edit<List>() == nullptr);
  Value list(List{});
  CHECK(list.edit<Object>() == nullptr);
}

TEST_CASE("values: the extent counts all parts, and follows changes") {
  Value value(List{Object{{"key", "12345678"}}, true});
  CHECK(value.extent().units == 6);
  CHECK(value.extent().depth == 2);
  CHECK(value.is_known());
  CHECK_FALSE(value.is_sensitive());

  Value secret("secret");
  secret.sensitive = true;
  value.edit<List>()->at(0).edit<Object>()->emplace("unknown", Unknown{});
  value.edit<List>()->push_back(secret);
  CHECK(value.extent().units == 9);
  CHECK_FALSE(value.is_known());
  CHECK(value.is_sensitive());
}

TEST_CASE("values: the extent of an empty list and of a mark") {
  Value value(List{});
  CHECK(value.extent().units == 1);
  CHECK(value.extent().depth == 0);
  value.sensitive = true;
  CHECK(value.is_sensitive());
}
