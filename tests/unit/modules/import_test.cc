#include "launcher/modules/import.h"

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "launcher/modules/lifetimes.h"
#include "launcher/source/yaml.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

namespace {

namespace fs = std::filesystem;

// A library with one module, and a checkout with one: modules/network/lan.
struct OneImport {
  OneImport(const std::string& ours, const std::string& variables,
            const std::string& outputs = "output \"link\" {\n  value = 1\n}\n") {
    make_directories(library / "catalogue");
    write_file(library / "catalogue/toolkit.yaml", "# v1.0.0\nversion: v1.0.0\n");
    if (!ours.empty()) put(library / "modules/network/lan/module.yaml", ours);
    put(toolkit / "modules/network/lan/variables.tf", variables);
    put(toolkit / "modules/network/lan/outputs.tf", outputs);
    put(toolkit / "modules/network/lan/versions.tf", R"(terraform {
  required_providers {
    google = { source = "hashicorp/google" }
  }
  provider_meta "google" {
    module_name = "blueprints/terraform/hpc-toolkit:lan/v1.1.0"
  }
}
)");
  }
  static void put(const fs::path& file, const std::string& text) {
    make_directories(file.parent_path());
    write_file(file, text);
  }
  void metadata(const std::string& text) {
    put(toolkit / "modules/network/lan/metadata.yaml", text);
  }
  modules::Import plan() {
    const auto checkout = modules::read_checkout(toolkit, sources, diagnostics);
    return modules::plan_import({checkout, checkout.version, library, "v1.0.0"}, sources,
                                diagnostics);
  }
  // Imports, and returns the module file.
  std::string run() {
    import = plan();
    CHECK(diagnostics.errors() == 0);
    write_import(import, library);
    return read_file(library / "modules/network/lan/module.yaml");
  }
  std::string report() const {
    std::string text;
    for (const auto& module : import.modules) {
      for (const auto& change : module.changes) {
        text += std::to_string(static_cast<int>(change.kind)) + " " + change.what + ": " +
                change.text + "\n";
      }
    }
    return text;
  }
  TemporaryDirectory folder;
  fs::path library = folder / "library";
  fs::path toolkit = folder / "toolkit";
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  modules::Import import;
};

constexpr const char* lan = R"(# By hand.
about: A network.

inputs:
  # The name.
  name:
    type: string
    help: Its name.  # short
  mtu:
    type: number
    default: 1460
    help: Bytes.
  # About the rest.

rules:
- {that: $(input.mtu > 0), at: mtu, else: too small}

resources:
  google_compute_network.this:
    name: $(input.name)
    mtu: $(input.mtu)

outputs:
  link:
    value: $(google_compute_network.this.self_link)
)";

constexpr const char* lan_variables =
    "variable \"name\" {\n  type = string\n}\nvariable \"mtu\" {\n  type    = number\n"
    "  default = 1460\n}\n";

}  // namespace

TEST_CASE("import: changes no module file if the interfaces are equal") {
  OneImport one(lan, lan_variables);
  CHECK(one.run() == lan);
  CHECK(one.import.version == "v1.1.0");
  CHECK(one.report().empty());
  CHECK(read_file(one.library / "catalogue/toolkit.yaml") == "# v1.1.0\nversion: v1.1.0\n");
}

TEST_CASE("import: adds inputs with their checks, and keeps resources and comments") {
  OneImport one(lan, std::string(lan_variables) + R"x(
variable "tiers" {
  description = "What: it takes.\n\nMore."
  type        = list(object({ name = string, size = optional(number, 2) }))
  default     = [{ name = "a$(b)" }]
  nullable    = false
  validation {
    condition     = alltrue([for t in var.tiers : t.size > 0])
    error_message = "All need a size."
  }
}
)x");
  std::string expected = lan;
  expected.insert(expected.find("  # About the rest"), R"x(  tiers:
    type: list(object({name = string, size = optional(number, 2)}))
    default: [{name: "a\\$(b)", size: 2}]
    help: "What: it takes."
)x");
  expected.insert(expected.find("\nresources:"),
                  R"x(- that: "$(alltrue([for t in input.tiers : t.size > 0]))"
  at: tiers
  else: All need a size
)x");
  CHECK(one.run() == expected);
  CHECK(one.report() ==
        "0 input `tiers`: list(object({name = string, size = optional(number, 2)})), default "
        "[{ name = \"a$(b)\", size = 2 }]\n0 rules for `tiers`: \n");
}

TEST_CASE("import: an input that is gone says so, and where it lost its meaning") {
  OneImport one(lan, "variable \"mtu\" {\n  type = string\n  default = \"9\"\n}\n");
  const std::string text = one.run();
  CHECK_THAT(text, ContainsSubstring("  name:\n    type: string\n    default: null\n"
                                     "    gone: it is no longer in Cluster Toolkit v1.1.0\n"
                                     "    help: Its name.  # short\n"));
  CHECK_THAT(text, ContainsSubstring("  mtu:\n    type: string\n    default: \"9\"\n"));
  CHECK(one.report() ==
        "2 input `name`: was string, must be set\n3 input `name`: still used in line 20\n"
        "1 input `mtu`: type string, was number\n1 input `mtu`: default \"9\", was 1460\n");
}

TEST_CASE("import: an input that comes back is there again") {
  OneImport one(lan, "variable \"mtu\" {\n  type = number\n  default = 1460\n}\n");
  one.run();
  one.put(one.toolkit / "modules/network/lan/variables.tf", lan_variables);
  const std::string text = one.run();
  CHECK_THAT(text, !ContainsSubstring("gone"));
  CHECK(one.report() ==
        "1 input `name`: must be set, was null by default\n1 input `name`: is back\n");
}

TEST_CASE("import: takes over what metadata.yaml says") {
  OneImport one(lan, lan_variables);
  one.metadata(R"(spec:
  requirements:
    services: [compute.googleapis.com]
ghpc:
  has_to_be_used: true
  inject_module_id: name
  validators:
  - validator: required
    inputs: {vars: [mtu], deprecated: true}
    error_message: Use another network.
)");
  const std::string text = one.run();
  CHECK_THAT(text, Catch::Matchers::StartsWith("# By hand.\nabout: A network.\n"));
  for (const char* line : {"\napis: [compute.googleapis.com]\n", "\nid_input: name\n",
                           "\nmust_be_used: true\n", "\n    gone: Use another network.\n"}) {
    CHECK_THAT(text, ContainsSubstring(line));
  }
  CHECK_THAT(one.report(), ContainsSubstring("3 input `mtu`: still used in lines 16, 21"));
}

TEST_CASE("import: names outputs that need a value, and those that are gone") {
  OneImport one(lan, lan_variables, "output \"id\" {\n  value = 1\n}\n");
  CHECK(one.run() == lan);
  CHECK(one.report() ==
        "4 output `link`: Cluster Toolkit v1.1.0 no longer has it; the file gives it a value: "
        "delete it, or mark it with `own: true`\n"
        "4 output `id`: is new in Cluster Toolkit v1.1.0; it needs a value of the file's "
        "resources\n");
}

TEST_CASE("import: adds and removes outputs of Cluster Toolkit's own modules") {
  OneImport one(
      "about: A network.\ntoolkit_module: {providers: [google]}\ninputs:\n"
      "  name: {type: string, help: Its name.}\n  mtu: {type: number, default: 1460}\n"
      "outputs:\n  old:\n    help: Old.\n  # last\n",
      std::string(lan_variables) + "variable \"x\" {}\n",
      "output \"secret\" {\n  value     = 1\n  sensitive = true\n}\n");
  CHECK(one.run() ==
        "about: A network.\ntoolkit_module: {providers: [google]}\ninputs:\n"
        "  name: {type: string, help: Its name.}\n  mtu: {type: number, default: 1460}\n"
        "  x:\n    type: any\n"
        "outputs:\n  secret:\n    sensitive: true\n  # last\n");
}

TEST_CASE("import: writes an input in flow style in lines when it changes") {
  OneImport one(
      "about: A network.\ninputs:\n  name: {type: string, help: Its name.}\n"
      "  mtu: {type: number, default: 1460}\noutputs:\n  link:\n",
      "variable \"name\" {\n  type = string\n}\nvariable \"mtu\" {\n  type = number\n}\n");
  CHECK(one.run() ==
        "about: A network.\ninputs:\n  name: {type: string, help: Its name.}\n"
        "  mtu:\n    type: number\noutputs:\n  link:\n");
}

TEST_CASE("import: leaves what is our own") {
  const std::string ours =
      "about: A network.\ninputs:\n  name:\n    own: true\n    type: list(string)\n"
      "  extra:\n    own: true\n    type: bool\n    default: true\n"
      "outputs:\n  link:\n  more: {own: true}\n";
  OneImport one(ours, "variable \"name\" {\n  type = string\n}\n");
  CHECK(one.run() == ours);
  CHECK(one.report().empty());
}

TEST_CASE("import: a new module is Cluster Toolkit's own") {
  OneImport one("", lan_variables);
  CHECK(one.run() == R"(# Written by `slipway modules import` from Cluster Toolkit v1.1.0.
about: Cluster Toolkit's module modules/network/lan.
toolkit_module: {providers: [google]}
local: nothing is known of it but its interface

inputs:
  name:
    type: string
  mtu:
    type: number
    default: 1460

outputs:
  link:
)");
}

TEST_CASE("import: writes nothing if a file has mistakes or cannot be edited") {
  OneImport broken(lan, "variable \"name\" {\n  type = strnig\n}\n");
  broken.plan();
  CHECK(broken.diagnostics.errors() == 1);
  OneImport flow("{about: A network., inputs: {}, outputs: {link: }}\n", lan_variables);
  CHECK_THROWS_WITH(flow.plan(),
                    "cannot edit the module file of modules/network/lan: the file is "
                    "not in block style");
  OneImport merged(
      "about: A network.\ninputs:\n  name: &n\n    type: string\n  mtu:\n    <<: *n\n"
      "outputs:\n  link:\n",
      lan_variables);
  CHECK_THROWS_AS(merged.plan(), Error);
}

TEST_CASE("import: restores what it has written if it cannot write everything") {
  OneImport one(lan, std::string(lan_variables) + "variable \"x\" {}\n");
  const modules::Import import = one.plan();
  fs::remove(one.library / "catalogue/toolkit.yaml");
  fs::create_directory(one.library / "catalogue/toolkit.yaml");
  CHECK_THROWS_AS(write_import(import, one.library), Error);
  CHECK(read_file(one.library / "modules/network/lan/module.yaml") == lan);
}

TEST_CASE("import: refuses a folder without modules") {
  TemporaryDirectory folder;
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  CHECK_THROWS_WITH(modules::read_checkout(folder.path(), sources, diagnostics),
                    Catch::Matchers::EndsWith(
                        "is not a checkout of Cluster Toolkit: it has no module in modules/ or "
                        "community/modules/"));
}

TEST_CASE("import: an older release changes no module file, and is recorded") {
  OneImport one(lan, "variable \"name\" {\n  type = string\n}\nvariable \"old\" {}\n");
  const auto checkout = modules::read_checkout(one.toolkit, one.sources, one.diagnostics);
  one.import = modules::plan_import({checkout, "v0.9.0", one.library, "v1.0.0"}, one.sources,
                                    one.diagnostics);
  write_import(one.import, one.library);
  CHECK(read_file(one.library / "modules/network/lan/module.yaml") == lan);
  CHECK(read_file(one.library / "catalogue/toolkit.yaml") == "# v1.0.0\nversion: v1.0.0\n");
  CHECK(one.report() == "1 input `mtu`: came later\n1 input `old`: is gone since\n");
  const modules::Lifetimes known = modules::read_lifetimes(one.library);
  const modules::Lifetime* mtu = known.input("modules/network/lan", "mtu");
  REQUIRE(mtu != nullptr);
  CHECK(came_later(*mtu, "v0.9.0") == "it came after v0.9.0");
  CHECK(came_later(*mtu, "v0.8.4") == "it came after v0.9.0");
  CHECK(came_later(*mtu, "v0.10.0").empty());
  const modules::Lifetime* old = known.input("modules/network/lan", "old");
  REQUIRE(old != nullptr);
  CHECK(went_away(*old) == "it is gone: Cluster Toolkit v0.9.0 had it");
  CHECK(known.input("modules/network/lan", "name") == nullptr);
}

TEST_CASE("import: an update records what the release before did not have") {
  OneImport one(lan, "variable \"name\" {\n  type = string\n}\nvariable \"new\" {}\n");
  one.put(one.toolkit / "modules/network/wan/main.tf", "variable \"x\" {}\n");
  one.run();
  const modules::Lifetimes known = modules::read_lifetimes(one.library);
  CHECK(came_later(*known.input("modules/network/lan", "new"), "v1.0.0") == "it came after v1.0.0");
  CHECK(went_away(*known.input("modules/network/lan", "mtu")) ==
        "it is gone: Cluster Toolkit v1.0.0 had it");
  CHECK(came_later(*known.module("modules/network/wan"), "v1.0.0") == "it came after v1.0.0");
  CHECK(lifetimes_text(known) == read_file(one.library / modules::imported_lifetimes_file));
}

TEST_CASE("lifetimes: the first release is the first that has an input") {
  const modules::Lifetime lifetime{"v1.34.0", {}, {}, {}};
  CHECK(came_later(lifetime, "v1.33.9") == "it came with v1.34.0");
  CHECK(came_later(lifetime, "v1.34.0").empty());
  CHECK(came_later(lifetime, "v1.100.0").empty());
  CHECK(came_later(lifetime, "develop").empty());
}

TEST_CASE("lifetimes: reports what is not a version") {
  TemporaryDirectory folder;
  make_directories(folder / "catalogue");
  write_file(folder / "catalogue/lifetimes.yaml", "modules:\n  modules/a/b: {came: soon}\n");
  CHECK_THROWS_WITH(modules::read_lifetimes(folder.path()),
                    ContainsSubstring("`came` must be a version such as v1.95.0"));
}

TEST_CASE("versions: two or three numbers, with or without a v") {
  using Numbers = std::vector<int>;
  CHECK(modules::version_numbers("v1.95.0") == Numbers{1, 95, 0});
  CHECK(modules::version_numbers("1.33") == Numbers{1, 33, 0});
  for (const char* text :
       {"", "v", "v1", "1.", "1..2", "1.2.3.4", "v1.2.3 ", "1.1234567", "main"}) {
    INFO(text);
    CHECK(modules::version_numbers(text).empty());
  }
}
