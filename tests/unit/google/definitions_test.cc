// Tests references between modules and groups.
#include "launcher/google/definitions.h"

#include <algorithm>

#include "common/file.h"
#include "common/text.h"
#include "launcher/blueprint/compile.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

namespace {

constexpr const char* thing =
    "about: Makes things.\n"
    "inputs:\n"
    "  of: {type: any, default: null}\n"
    "  wanted: {type: any, default: true}\n"
    "  each: {type: any, default: []}\n"
    "resources:\n"
    "  terraform_data.this: {input: $(input.of)}\n"
    "  terraform_data.more: {when: $(input.wanted), input: 1}\n"
    "  terraform_data.each: {for_each: $(input.each), input: $(each.value)}\n"
    "outputs:\n"
    "  of: {value: $(input.of)}\n"
    "  id: {value: $(terraform_data.this.id)}\n"
    "  id_more: {value: $(terraform_data.this.id)}\n"
    "  list: {value: [known, $(terraform_data.this.id)]}\n"
    "  secret: {value: $(sensitive(\"x\"))}\n";

// Groups g0, g1, … with a module for each line `ID: SETTINGS`; `--` separates groups.
struct Defined {
  explicit Defined(const std::string& lines) {
    make_directories(folder / "modules/thing");
    write_file(folder / "modules/thing/module.yaml", thing);
    std::string text = "blueprint_name: x\nvars: {deployment_name: d}\ndeployment_groups:\n";
    size_t groups = 0;
    const auto begin_group = [&] {
      text += "- group: g" + std::to_string(groups++) + "\n  modules:\n";
    };
    begin_group();
    for (const std::string& line : split(lines, '\n')) {
      if (line == "--") {
        begin_group();
        continue;
      }
      const size_t colon = line.find(':');
      text += "  - id: " + line.substr(0, colon) + "\n    source: modules/thing\n    settings: {" +
              line.substr(colon + 1) + "}\n";
    }
    blueprint::Texts texts;
    texts.blueprint = sources.add("x.yaml", text);
    blueprint::Options options;
    options.validation_level = blueprint::Level::ignore;
    compiled = blueprint::compile(texts, options, library, sources, diagnostics);
    REQUIRE(compiled != nullptr);
    REQUIRE(said().empty());
    definitions = google::define({compiled->evaluation, nullptr, nullptr, nullptr, folder.path()},
                                 diagnostics);
  }

  std::string said() const { return folder.relative(render(diagnostics)); }

  // A file on one line, without white space.
  std::string file(const std::string& path) const {
    const auto found = std::find_if(definitions.files.begin(), definitions.files.end(),
                                    [&](const google::File& file) { return file.path == path; });
    REQUIRE(found != definitions.files.end());
    std::string text = found->text;
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  }

  bool has(const std::string& path, const std::string& part) const {
    const std::string text = file(path);
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
    return text.find(part) != std::string::npos;
  }

  TemporaryDirectory folder;
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  modules::Library library{folder.path(), sources};
  std::unique_ptr<blueprint::Compiled> compiled;
  google::Definitions definitions;
};

}  // namespace

TEST_CASE("definitions: in a group, a reference to an output becomes the output's expression") {
  const Defined one("a:\nb: of: $(a.list)\nc: of: \"$(b.of[1])-$(a.id)\"");
  CHECK(one.said().empty());
  CHECK(one.has("g0/b.tf.json", R"("b":{"input":["known","${terraform_data.a.id}"]})"));
  CHECK(
      one.has("g0/c.tf.json", R"("c":{"input":"${terraform_data.a.id}-${terraform_data.a.id}"})"));
}

TEST_CASE("definitions: between groups, an output becomes a variable") {
  // b passes on an output of a, so the last group gets it from a's group.
  const Defined three("a:\n--\nb: of: $(a.list)\n--\nc: of: $(b.of)");
  CHECK(three.said().empty());
  CHECK(three.has("g2/c.tf.json", R"("c":{"input":["known","${var.list_a[1]}"]})"));
  CHECK(three.has("g2/variables.tf.json", R"("list_a":{"type":"any")"));
  CHECK(three.has("g0/outputs.tf.json", R"("list_a":{"value":["known","${terraform_data.a.id}"])"));
  REQUIRE(three.definitions.groups.size() == 3);
  REQUIRE(three.definitions.groups[2].inputs.size() == 1);
  CHECK(three.definitions.groups[2].inputs[0].variable == "list_a");
  CHECK(three.definitions.groups[2].inputs[0].from_group == "g0");
}

TEST_CASE("definitions: two outputs with the same name between groups are an error") {
  const Defined two("x:\nmore_x:\n--\nd: of: ['$(x.id_more)', '$(more_x.id)']");
  CHECK(
      two.said() ==
      "error[E0206]: output `id_more` of module `x` and output `id` of module `more_x` both become "
      "`id_more_x` between groups\n"
      " --> x.yaml:9:9\n"
      "  |\n"
      "9 |   - id: more_x\n"
      "  |         ^^^^^^\n"
      " ::: x.yaml:6:9\n"
      "  |\n"
      "6 |   - id: x\n"
      "  |         - the other module\n");
}

TEST_CASE("definitions: a condition on an unknown value is an error at the setting") {
  const Defined one("a:\nb: wanted: $(a.id == \"x\")");
  CHECK(
      one.said() ==
      "error[E0304]: `wanted` of module `b`: `when` of `terraform_data.more` must be known before "
      "deployment\n"
      "  --> x.yaml:11:27\n"
      "   |\n"
      "11 |     settings: { wanted: $(a.id == \"x\")}\n"
      "   |                           ^^^^^^^^^^^\n"
      "  ::: modules/thing/module.yaml:8:33\n"
      "   |\n"
      " 8 |   terraform_data.more: {when: $(input.wanted), input: 1}\n"
      "   |                                 ------------ needed here\n");
}

TEST_CASE("definitions: values of a for_each can be unknown, but its keys must be known") {
  const Defined fine("a:\nb: each: {x: $(a.id)}");
  CHECK(fine.said().empty());
  CHECK(fine.has("g0/b.tf.json", R"("b_each_x":{"input":"${terraform_data.a.id}"})"));
  const Defined wrong("a:\nb: each: '$(split(\",\", a.id))'");
  CHECK(wrong.said().find("`for_each` of `terraform_data.each` must be known before deployment") !=
        std::string::npos);
}

TEST_CASE("definitions: an output that contains a secret is marked as sensitive") {
  const Defined two("a:\n--\nb: of: $(a.secret)");
  CHECK(two.said().empty());
  CHECK(two.has("g0/outputs.tf.json", R"("secret_a":{"value":"${sensitive(\"x\")}")"));
  CHECK(two.has("g0/outputs.tf.json", R"("sensitive":true)"));
}
