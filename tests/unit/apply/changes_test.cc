// Tests changes between two versions of definitions, and from Terraform's plan.
#include "launcher/apply/changes.h"

#include <nlohmann/json.hpp>

#include "launcher/apply/compare.h"
#include "launcher/apply/planned.h"
#include "tests/unit/catch.h"

using namespace slipway::apply;

namespace {

// A group with one module `net` that has these resources.
GroupDefinitions group(const char* resources) {
  GroupDefinitions definitions{"one", "terraform", {}, {}};
  definitions.documents["net.tf.json"] = {{"resource", Json::parse(resources)}};
  return definitions;
}

}  // namespace

TEST_CASE("changes: an address is reduced to its block") {
  CHECK(root_address("google_compute_network.net") == "google_compute_network.net");
  CHECK(root_address("google_x.net[\"a.b\"]") == "google_x.net");
  CHECK(root_address("module.net[0].terraform_data.x") == "module.net");
  CHECK(root_address("data.google_project.p[0]") == "data.google_project.p");
}

TEST_CASE("changes: a resource belongs to the module whose file defines it") {
  GroupDefinitions definitions = group(R"({"t": {"net_sub": {}}})");
  definitions.documents["own.tf.json"] = {{"module", {{"own", {{"source", "./modules/x"}}}}},
                                          {"data", {{"p", {{"q", Json::object()}}}}}};
  CHECK(definitions.module_of("t.net_sub[3]") == "net");
  CHECK(definitions.module_of("module.own.t.net_sub") == "own");
  CHECK(definitions.module_of("data.p.q") == "own");
  CHECK(definitions.module_of("t.other").empty());
  CHECK(definitions.module_of("").empty());
  CHECK(definitions.module_of_file("net.tf.json") == "net");
  CHECK(definitions.module_of_file("modules/x/main.tf") == "own");
  definitions.documents["b.tf.json"] = {{"module", {{"b", {{"source", "./modules/x"}}}}}};
  CHECK(definitions.module_of_file("modules/x/main.tf").empty());
}

TEST_CASE("changes: definitions are compared by resource and attribute") {
  const GroupDefinitions before =
      group(R"({"t": {"same": {"a": 1}, "size": {"disk": [{"gb": 10}], "x": true}, "gone": {}}})");
  const GroupDefinitions after =
      group(R"({"t": {"same": {"a": 1}, "size": {"disk": [{"gb": 20}], "y": "z"}, "new": {}}})");
  const GroupChanges changes = compare(&before, &after);
  CHECK(summary(changes) == "1 to add, 1 to change, 1 to destroy");
  CHECK(to_text(changes) ==
        "  module net\n"
        "      + t.new\n"
        "      ~ t.size\n"
        "          disk[0].gb: 10 -> 20\n"
        "          x: true (removed)\n"
        "          y: \"z\"\n"
        "      - t.gone\n");
  CHECK(compare(&before, &before).empty());
  CHECK(summary(compare(nullptr, &after)) == "3 to add");
  CHECK(summary(compare(&before, nullptr)) == "3 to destroy");
}

TEST_CASE("changes: what is replaced replaces what refers to its new attributes") {
  ReplacementRules rules;
  rules["t"] = {{"kind", "disk.type"}, false, {{"out", "in"}}};
  rules["all"] = {{"labels"}, true, {}};
  const GroupDefinitions before = group(R"({
    "t": {"a": {"kind": 1, "name": "a"}, "b": {"kind": "${t.a.id}", "in": 1}, "c": {"in": "${t.a.name}"},
          "d": {"kind": "${t.b.out}"}, "e": {"in": "${t.d.id}"}, "f": {"disk": [{"size": 1}]},
          "g": {"kind": "${t.a.id}", "lifecycle": {"ignore_changes": ["kind"]}}},
    "all": {"x": {"labels": {"k": "1"}}, "y": {"labels": {}, "of": "${t.e.in}"}}})");
  GroupDefinitions after = before;
  Json& resources = after.documents["net.tf.json"]["resource"];
  resources["t"]["a"]["kind"] = 2;
  resources["t"]["f"]["disk"][0]["size"] = 2;
  resources["all"]["x"]["labels"]["k"] = "2";
  const GroupChanges changes = compare(&before, &after, rules);
  std::map<std::string, std::string> why;
  for (const Change& change : changes.modules.at("net")) {
    why[change.address] = change.action == Action::replace ? change.why : "in place";
  }
  // c refers to a name that stays, and g ignores its reference.
  CHECK(why == std::map<std::string, std::string>{{"t.a", "kind"},
                                                  {"t.b", "kind"},
                                                  {"t.d", "kind"},
                                                  {"t.e", "in place"},
                                                  {"t.f", "in place"},
                                                  {"all.x", "in place"},
                                                  {"all.y", "of"}});
  resources["t"]["f"]["disk"][0]["type"] = "ssd";
  CHECK(summary(compare(&before, &after, rules)) == "2 to change, 5 to replace");
}

TEST_CASE("changes: values with names of secrets are hidden") {
  const GroupDefinitions before = group(R"({"t": {"x": {"admin_password": "a", "note": "a"}}})");
  const GroupDefinitions after = group(R"({"t": {"x": {"admin_password": "b", "note": "b"}}})");
  CHECK(to_text(compare(&before, &after)) ==
        "  module net\n"
        "      ~ t.x\n"
        "          admin_password: (secret)\n"
        "          note: \"a\" -> \"b\"\n");
}

TEST_CASE("changes: each module that calls a changed folder is changed") {
  GroupDefinitions before{"one", "terraform", {}, {}};
  for (const char* id : {"a", "b"}) {
    before.documents[std::string(id) + ".tf.json"] = {
        {"module", {{id, {{"source", "./modules/x"}}}}}};
  }
  before.digests = {{"modules/x/main.tf", "1"}, {"../.ghpc/staged/f", "1"}};
  GroupDefinitions after = before;
  after.digests["modules/x/main.tf"] = "2";
  CHECK(summary(compare(&before, &after)) == "2 to change");
  after.digests["../.ghpc/staged/f"] = "2";
  CHECK(compare(&before, &after).modules.contains(""));
}

TEST_CASE("changes: Terraform's plan is shown by module, without sensitive values") {
  const Json plan = Json::parse(R"({
    "resource_changes": [
      {"address": "t.size", "change": {"actions": ["delete", "create"],
        "before": {"gb": 1, "key": "old", "id": "7"}, "after": {"gb": 2, "key": "new"},
        "after_unknown": {"id": true}, "before_sensitive": {"key": true}, "after_sensitive": {"key": true},
        "replace_paths": [["gb"], ["disk", 0, "kind"]]}},
      {"address": "t.gone", "change": {"actions": ["delete"], "before": {}, "after": null}},
      {"address": "t.same", "change": {"actions": ["no-op"], "before": {}, "after": {}}},
      {"address": "data.p.q", "change": {"actions": ["read"], "before": null, "after": {}}}],
    "output_changes": {"o": {"actions": ["create"]}, "p": {"actions": ["no-op"]}}})");
  const GroupDefinitions now = group(R"({"t": {"size": {}, "same": {}}})");
  GroupDefinitions before = group(R"({"t": {}})");
  before.documents["old.tf.json"] = Json::parse(R"({"resource": {"t": {"gone": {}}}})");
  const GroupChanges changes = planned(plan, now, &before);
  CHECK(summary(changes) == "1 to replace, 1 to destroy");
  CHECK(to_text(changes) ==
        "  outputs new: o\n"
        "  module net\n"
        "    -/+ t.size, because of gb, disk[0].kind\n"
        "          gb: 1 -> 2\n"
        "          id: \"7\" -> (known after apply)\n"
        "          key: (secret)\n"
        "  module old\n"
        "      - t.gone\n");
}
