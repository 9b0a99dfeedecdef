#include "launcher/modules/terraform_module.h"

#include <map>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

namespace {

using expression::Value;

using Files = std::map<std::string, std::string>;

// A folder with files, its interface and its diagnostics.
struct OneFolder {
  explicit OneFolder(const Files& files) {
    for (const auto& [name, text] : files) write_file(folder / name, text);
    interface = modules::read_terraform_module(folder.path(), "./x", sources, diagnostics);
  }
  std::string said() const { return folder.relative(render(diagnostics)); }
  TemporaryDirectory folder;
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  modules::Interface interface;
};

}  // namespace

TEST_CASE("terraform module: reads variables with types, defaults and descriptions") {
  const OneFolder module(Files{{"variables.tf", R"(
variable "zone" {
  type        = string
  description = "Where it is."
}
variable "sizes" {
  type    = list(object({ name = string, gb = optional(number, 10) }))
  default = [{ name = "a" }]
}
variable "anything" { default = null }
variable "flag" {
  type      = bool
  default   = "true"
  nullable  = false
  sensitive = true
}
)"}});
  CHECK(module.said().empty());
  CHECK(module.interface.foreign);
  CHECK(module.interface.kind == "terraform");
  CHECK(module.interface.input_names() ==
        std::vector<std::string>{"zone", "sizes", "anything", "flag"});
  const modules::Input* zone = module.interface.input("zone");
  CHECK(zone->required);
  CHECK(zone->help == "Where it is.");
  CHECK(to_text(zone->type) == "string");
  const modules::Input* sizes = module.interface.input("sizes");
  CHECK_FALSE(sizes->required);
  CHECK(sizes->default_value ==
        Value(Value::List{Value(Value::Object{{"name", "a"}, {"gb", 10}})}));
  CHECK(to_text(module.interface.input("anything")->type) == "any");
  CHECK_FALSE(module.interface.input("anything")->required);
  CHECK(module.interface.input("flag")->default_value == Value(true));
  CHECK_FALSE(module.interface.input("flag")->nullable);
}

TEST_CASE("terraform module: the value of an output is known only if it is constant") {
  const OneFolder module(Files{{"outputs.tf", R"(
output "kind" { value = "gcs" }
output "id" {
  value       = google_storage_bucket.this.id
  description = "Its id."
  sensitive   = true
}
output "mixed" { value = [1, var.x] }
output "later" { value = provider::new::thing(1) }
)"}});
  CHECK(module.said().empty());
  REQUIRE(module.interface.output("kind")->value != nullptr);
  CHECK(to_hcl(*module.interface.output("kind")->value) == "\"gcs\"");
  CHECK(module.interface.output("id")->value == nullptr);
  CHECK(module.interface.output("id")->sensitive);
  CHECK(module.interface.output("id")->help == "Its id.");
  CHECK(module.interface.output("mixed")->value == nullptr);
  CHECK(module.interface.output("later")->value == nullptr);
}

TEST_CASE("terraform module: validations that need only variables become rules") {
  const OneFolder module(Files{{"variables.tf", R"(
variable "name" {
  validation {
    condition     = length(var.name) < 10 && var.other != var.name
    error_message = "Too long: ${var.name}."
  }
  validation {
    condition     = contains(data.google_zones.all.names, var.name)
    error_message = "Only Terraform knows."
  }
}
variable "other" {}
)"}});
  CHECK(module.said().empty());
  REQUIRE(module.interface.rules.size() == 1);
  CHECK(to_hcl(*module.interface.rules[0].that) ==
        "length(input.name) < 10 && input.other != input.name");
  CHECK(module.interface.rules[0].at == "name");
  CHECK(module.interface.rules[0].message == "Too long: ${var.name}");
}

TEST_CASE("terraform module: a validation of an unknown variable is an error") {
  const OneFolder module(
      Files{{"v.tf",
             "variable \"size\" {\n  validation {\n"
             "    condition = var.sise > 1\n    error_message = \"x\"\n  }\n}\n"}});
  CHECK(module.said() ==
        "error[E0210]: there is no variable `sise`\n --> v.tf:3:17\n  |\n"
        "3 |     condition = var.sise > 1\n  |                 ^^^^^^^^\n"
        "  = help: did you mean `size`?\n");
  CHECK(module.interface.rules.empty());
}

TEST_CASE("terraform module: an override file replaces what it specifies and keeps the rest") {
  const OneFolder module(Files{
      {"a_override.tf", "variable \"x\" {\n  default = 2\n}\n"},
      {"override.tf.json", R"({"variable": {"x": {"description": "b"}}})"},
      {"variables.tf", "variable \"x\" {\n  type = number\n  description = \"a\"\n}\n"},
  });
  CHECK(module.said().empty());
  CHECK(module.interface.input("x")->default_value == Value(2));
  CHECK(module.interface.input("x")->help == "b");
  CHECK(to_text(module.interface.input("x")->type) == "number");
  const OneFolder alone(Files{{"x_override.tf", "variable \"x\" {}\n"}});
  CHECK(alone.said() ==
        "error[E0901]: there is no variable `x` to override\n --> x_override.tf:1:10\n  |\n"
        "1 | variable \"x\" {}\n  |          ^^^\n");
}

TEST_CASE("terraform module: reads JSON files with every notation of blocks") {
  const OneFolder module(Files{{"x.tf.json", R"json({
  "variable": [
    {"a": {"type": "list(string)", "default": ["x"], "nullable": false}},
    {"b": [{"validation": {"condition": "${var.b > 1}", "error_message": "more"}}]}
  ],
  "output": {"c": {"value": "${local.c}"}},
  "resource": {"t": {"n": {}}}
})json"}});
  CHECK(module.said().empty());
  CHECK(module.interface.input_names() == std::vector<std::string>{"a", "b"});
  CHECK(module.interface.input("a")->default_value == Value(Value::List{Value("x")}));
  REQUIRE(module.interface.rules.size() == 1);
  CHECK(to_hcl(*module.interface.rules[0].that) == "input.b > 1");
  CHECK(module.interface.output("c") != nullptr);
}

TEST_CASE("terraform module: ignores the files that Terraform ignores") {
  const OneFolder module(Files{{"a.tf", "variable \"a\" {}\n"},
                               {".#a.tf", "not ["},
                               {"a.tf~", "not ["},
                               {"a.tfvars", "b = ["},
                               {"README.md", "\"{"},
                               {"image.pkr.hcl", "variable \"p\" {}\n"}});
  CHECK(module.said().empty());
  CHECK(module.interface.input_names() == std::vector<std::string>{"a"});
}

TEST_CASE("terraform module: reads a Packer folder, including its value files") {
  const OneFolder module(Files{{"image.pkr.hcl", R"(
variable "zone" { type = string }
variable "home" { default = env("HOME") }
variable "disk" { type = number }
variables {
  name = "image"
}
)"},
                               {"defaults.auto.pkrvars.hcl", "disk = 50\nunknown = 1\n"}});
  CHECK(module.said().empty());
  CHECK(module.interface.kind == "packer");
  CHECK(module.interface.input("zone")->required);
  CHECK(module.interface.input("home")->default_value.is_unknown());
  CHECK(module.interface.input("disk")->default_value == Value(50));
  CHECK(module.interface.input("name")->default_value == Value("image"));
}

TEST_CASE("terraform module: reports mistakes in declarations at their place") {
  const OneFolder module(Files{{"v.tf", R"(variable "a" {
  type = list(strng)
  default = upper(x)
  default = 1
  nullable = "perhaps"
}
variable "a-b" "c" {}
variable "1" {}
variable "d" {
  type = set(number)
  default = [1, "x"]
  nulable = true
}
variable "e" {
  default = null
  nullable = false
  validation {
    condition = true
  }
}
variable "d" {}
)"}});
  CHECK(module.said() ==
        R"said(error[E0901]: `strng` is not a type
 --> v.tf:2:15
  |
2 |   type = list(strng)
  |               ^^^^^

error[E0302]: there is no `x` here
 --> v.tf:3:19
  |
3 |   default = upper(x)
  |                   ^

error[E0102]: duplicate `default`
 --> v.tf:4:3
  |
4 |   default = 1
  |   ^^^^^^^
 ::: v.tf:3:3
  |
3 |   default = upper(x)
  |   ------- first defined here

error[E0901]: `nullable` must be `true` or `false`, but this is a string
 --> v.tf:5:14
  |
5 |   nullable = "perhaps"
  |              ^^^^^^^^^

error[E0901]: a `variable` block must have exactly one name
 --> v.tf:7:16
  |
7 | variable "a-b" "c" {}
  |                ^^^

error[E0901]: `1` is not a name
 --> v.tf:8:10
  |
8 | variable "1" {}
  |          ^^^

error[E0901]: the default of `d[1]`: `x` is not a number
  --> v.tf:11:13
   |
11 |   default = [1, "x"]
   |             ^^^^^^^^

error[E0201]: variable `d` has no `nulable`
  --> v.tf:12:3
   |
12 |   nulable = true
   |   ^^^^^^^
   = help: did you mean `nullable`?

error[E0901]: the default of `e` is null, which `nullable` forbids
  --> v.tf:15:13
   |
15 |   default = null
   |             ^^^^

error[E0901]: a validation needs `condition` and `error_message`
  --> v.tf:17:3
   |
17 |   validation {
   |   ^^^^^^^^^^

error[E0102]: variable `d` is declared twice in this module
  --> v.tf:21:10
   |
21 | variable "d" {}
   |          ^^^
  ::: v.tf:9:10
   |
 9 | variable "d" {
   |          --- first defined here
)said");
}

TEST_CASE("terraform module: a file that is too large or not HCL is unreadable") {
  const OneFolder large(Files{{"a.tf", std::string((1 << 20) + 1, '\n')}});
  CHECK(large.interface.unreadable);
  CHECK(large.said() ==
        "error[E0107]: this file is larger than 1024 KiB\n --> a.tf:1:1\n  |\n1 |\n  | ^\n");
  const OneFolder broken(Files{{"a.tf", "variable \"x\" {\n"}, {"b.tf", "variable \"y\" {}\n"}});
  CHECK(broken.interface.unreadable);
}

TEST_CASE("terraform module: reads large files, but not too deeply nested ones") {
  std::string list = "variable \"x\" {\n  default = [\n";
  while (list.size() < (1 << 17)) list += "    { a = \"b\", c = [1, 2] }, # d\n";
  CHECK(OneFolder(Files{{"a.tf", list + "  ]\n}\n"}}).said().empty());
  std::string deep = "variable \"x\" {\n  default = ";
  deep += std::string(900, '[') + std::string(900, ']') + "\n}\n";
  CHECK(OneFolder(Files{{"a.tf", deep}})
            .said()
            .starts_with("error[E0301]: this expression is nested too deeply\n --> a.tf:2:"));
}

TEST_CASE("terraform module: reads descriptions and defaults that are heredocs") {
  const OneFolder module(
      Files{{"v.tf",
             "variable \"x\" {\r\n  description = <<-EOT\r\n    What it {is}.\r\n"
             "    More.\r\n\r\n    Details.\r\n  EOT\r\n"
             "  default = <<EOT\r\na \"b\"\r\nEOT\r\n}\r\n"}});
  CHECK(module.said().empty());
  CHECK(module.interface.input("x")->help == "What it {is}. More.");
  CHECK(module.interface.input("x")->default_value == Value("a \"b\"\n"));
}

TEST_CASE("terraform module: metadata.yaml says how the engine treats it") {
  const OneFolder module(
      Files{{"main.tf", "variable \"name\" { type = string }\n"},
            {"metadata.yaml",
             "spec: {requirements: {services: [file.googleapis.com]}}\n"
             "ghpc: {inject_module_id: name, has_to_be_used: true, more: 1}\n"}});
  CHECK(module.said().empty());
  CHECK(module.interface.apis == std::vector<std::string>{"file.googleapis.com"});
  CHECK(module.interface.id_input == "name");
  CHECK(module.interface.must_be_used);
}

TEST_CASE("terraform module: what is wrong in metadata.yaml is reported") {
  const OneFolder module(Files{{"main.tf", "variable \"name\" { type = string }\n"},
                               {"metadata.yaml",
                                "spec: {requirements: {services: file.googleapis.com}}\n"
                                "ghpc: {inject_module_id: nam, has_to_be_used: perhaps}\n"}});
  CHECK(module.said() ==
        "error[E0901]: `services` must be a list, but this is a string\n"
        " --> metadata.yaml:1:33\n"
        "  |\n"
        "1 | spec: {requirements: {services: file.googleapis.com}}\n"
        "  |                                 ^^^^^^^^^^^^^^^^^^^\n"
        "\n"
        "error[E0901]: `inject_module_id` must name a variable, but there is no `nam`\n"
        " --> metadata.yaml:2:26\n"
        "  |\n"
        "2 | ghpc: {inject_module_id: nam, has_to_be_used: perhaps}\n"
        "  |                          ^^^\n"
        "  = help: did you mean `name`?\n"
        "\n"
        "error[E0901]: expected `true` or `false`\n"
        " --> metadata.yaml:2:47\n"
        "  |\n"
        "2 | ghpc: {inject_module_id: nam, has_to_be_used: perhaps}\n"
        "  |                                               ^^^^^^^\n");
  CHECK(module.interface.id_input.empty());
}

TEST_CASE("terraform module: validators that cannot be run are reported") {
  const OneFolder module(Files{{"main.tf", "variable \"name\" { type = string }\n"},
                               {"metadata.yaml",
                                "ghpc:\n  validators:\n"
                                "  - {validator: regex, inputs: {vars: [name], pattern: '(?!x)'}}\n"
                                "  - {validator: regex, inputs: {vars: [name]}}\n"
                                "  - {validator: range, inputs: {vars: [name]}}\n"
                                "  - {validator: range, inputs: {vars: [name], min: many}}\n"
                                "  - {validator: allowed_enum, inputs: {vars: [name]}}\n"
                                "  - {validator: exclusive}\n"
                                "  - {validator: conditional, inputs: {trigger: name}}\n"
                                "  - {validator: required, inputs: {vars: name, deprecated: 2}}\n"
                                "  - {inputs: {vars: [name]}}\n"}});
  for (const char* part :
       {"metadata.yaml:3:56\n", "metadata.yaml:4:5\n", "needs a `pattern`", "needs `min` or `max`",
        "`min` must be a number", "needs a list `allowed`", "metadata.yaml:8:5\n", "needs `vars`",
        "needs `dependent`", "`deprecated` must be true or false", "needs `validator`"}) {
    INFO(part);
    CHECK_THAT(module.said(), ContainsSubstring(part));
  }
}

TEST_CASE("terraform module: validators of variables that do not exist are passed over") {
  const OneFolder module(
      Files{{"main.tf", "variable \"name\" { type = string }\n"},
            {"metadata.yaml",
             "ghpc:\n  validators:\n"
             "  - {validator: regex, inputs: {vars: [nmae], pattern: x}}\n"
             "  - {validator: conditional, inputs: {trigger: name, dependent: local.x}}\n"
             "  - {validator: new_kind, inputs: {vars: [name]}}\n"}});
  CHECK(module.said().empty());
  CHECK(module.interface.rules.empty());
}

TEST_CASE("terraform module: empty and other metadata changes nothing") {
  for (const char* text : {"", "ghpc:\n", "ghpc: {inject_module_id: \"\"}\n", "[1]\n",
                           "spec: {requirements: {services: null}}\n"}) {
    const OneFolder module(
        Files{{"main.tf", "variable \"name\" { type = string }\n"}, {"metadata.yaml", text}});
    CHECK(module.said().empty());
    CHECK(module.interface.id_input.empty());
    CHECK_FALSE(module.interface.must_be_used);
  }
}
