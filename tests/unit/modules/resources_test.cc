// Tests the reading of `resources` in module files.
#include "common/file.h"
#include "launcher/modules/becomes.h"
#include "launcher/modules/library.h"
#include "launcher/modules/resource_reader.h"
#include "tests/unit/catch.h"
#include "tests/unit/modules/one_module.h"

using namespace slipway;

namespace {

// A module whose file ends with `text`.
struct ModuleWithResources : OneModule {
  explicit ModuleWithResources(const std::string& text) : OneModule("about: A thing.\n" + text) {}

  // The place, code, message and help of each diagnostic.
  std::string messages() const {
    std::string out;
    for (const source::Diagnostic& diagnostic : diagnostics.sorted()) {
      const source::Place place = sources.place(diagnostic.span.begin);
      out += std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
             std::string(name(diagnostic.code)) + " " + diagnostic.message + "\n";
      for (const std::string& help : diagnostic.helps) out += "  " + help + "\n";
    }
    return out;
  }
};

}  // namespace

TEST_CASE("resources: have a type, a name, meta-arguments, and a body without these") {
  const ModuleWithResources one(
      "inputs:\n"
      "  wanted: {type: bool, default: true}\n"
      "resources:\n"
      "  google_x_y.this:\n"
      "    for_each: [1, 2]\n"
      "    when: $(input.wanted)\n"
      "    depends_on: [data.google_z_w.found]\n"
      "    name: n$(each.key)\n"
      "  data.google_z_w.found:\n");
  CHECK(one.messages().empty());
  REQUIRE(one.interface->resources->size() == 2);
  const modules::Resource& first = one.interface->resources->at(0);
  CHECK(first.reference() == "google_x_y.this");
  CHECK(to_hcl(*first.for_each) == "[1, 2]");
  CHECK(to_hcl(*first.when) == "input.wanted");
  CHECK(first.depends_on == std::vector<std::string>{"data.google_z_w.found"});
  CHECK(to_hcl(*first.body) == "{\n  name = \"n${each.key}\"\n}");
  const modules::Resource* second = one.interface->resource("data.google_z_w.found");
  REQUIRE(second == &one.interface->resources->at(1));
  CHECK(second->looked_up);
  CHECK(second->for_each == nullptr);
  CHECK(to_hcl(*second->body) == "{}");
  CHECK(one.interface->resource("google_z_w.found") == nullptr);
}

TEST_CASE("resources: a missing key differs from an empty mapping") {
  CHECK(!ModuleWithResources("").interface->resources.has_value());
  CHECK(ModuleWithResources("resources: {}\n").interface->resources->empty());
}

TEST_CASE("resources: wrong shapes are reported at their place") {
  CHECK(ModuleWithResources("resources: [a]\n").messages() ==
        "2:12 E0901 `resources` must be a mapping, but this is a list\n");
  CHECK(ModuleWithResources("resources:\n  network: {}\n  data.google_a_b: {}\n  x.y: {}\n")
            .messages() ==
        "3:3 E0901 `network` is not a resource name\n"
        "  write TYPE.NAME or data.TYPE.NAME, such as google_compute_network.this\n"
        "4:3 E0901 `data.google_a_b` is not a resource name\n"
        "  write TYPE.NAME or data.TYPE.NAME, such as google_compute_network.this\n"
        "5:3 E0901 `x.y` is not a resource name\n"
        "  write TYPE.NAME or data.TYPE.NAME, such as google_compute_network.this\n");
  CHECK(ModuleWithResources("resources:\n  google_a_b.c: [1]\n  google_a_b.d: {count: 2}\n")
            .messages() ==
        "3:17 E0901 a resource must be a mapping of attributes, but this is a list\n"
        "4:18 E0901 `count` is not supported\n"
        "  use `for_each`, which also takes a list\n");
  CHECK(
      ModuleWithResources("resources:\n  google_a_b.c: {depends_on: google_a_b.d}\n").messages() ==
      "3:30 E0901 `depends_on` must be a list of resources, but this is a string\n");
}

TEST_CASE("resources: references to unknown resources are reported wherever they occur") {
  const ModuleWithResources one(
      "locals:\n"
      "  a: $(google_net.thos.id)\n"
      "resources:\n"
      "  google_net.this:\n"
      "    depends_on: [google_net.that, google_net.none]\n"
      "    link: $(data.google_net.this.id)\n"
      "    key: $(each.key)\n"
      "outputs:\n"
      "  b: {value: $(google_other.this)}\n"
      "  c: {value: '$([for some_name in [1] : some_name])'}\n"
      "  d: {type: string}\n");
  CHECK(one.messages() ==
        "3:8 E0901 there is no resource `google_net.thos`\n"
        "  did you mean `google_net.this`?\n"
        "6:18 E0901 there is no resource `google_net.that`\n"
        "  did you mean `google_net.this`?\n"
        "6:35 E0901 there is no resource `google_net.none`\n"
        "7:13 E0901 there is no resource `data.google_net.this`\n"
        "8:12 E0901 `each` can be used only in the attributes of a resource with `for_each`\n"
        "10:16 E0901 there is no resource `google_other.this`\n"
        "12:3 E0901 the output `d` has no value\n"
        "  in a module with `resources`, every output needs a `value`\n");
}

TEST_CASE("resources: a module of Cluster Toolkit's is one that Terraform calls") {
  const ModuleWithResources one(
      "toolkit_module: {providers: [google, helm], configures_providers: true}\n"
      "outputs:\n"
      "  id: {help: Its id.}\n"
      "  place: {value: $(toolkit.id.place), help: Where it is.}\n");
  CHECK(one.messages().empty());
  const modules::Resource* made = modules::toolkit_module(*one.interface);
  REQUIRE(made != nullptr);
  CHECK(to_hcl(*made->body) ==
        "{\n  providers = [\"google\", \"helm\"]\n  configures_providers = true\n}");
  CHECK(modules::is_called(*one.interface));
  CHECK(modules::on_google(*one.interface).name == "toolkit");
  CHECK(modules::on_this_machine(*one.interface).text ==
        "nothing (it has no meaning on this machine)");
}

TEST_CASE("resources: what a module of Cluster Toolkit's refers to must be there") {
  CHECK(ModuleWithResources("toolkit_module: {provider: google}\n"
                            "resources: {}\n"
                            "outputs:\n"
                            "  id: {value: $(google_x_y.this.id), help: Its id.}\n"
                            "  place: {value: $(toolkit.idd), help: Where it is.}\n")
            .messages() ==
        "2:17 E0901 a module has either `resources` or `toolkit_module`\n"
        "2:18 E0901 `toolkit_module` has no key `provider`\n"
        "  did you mean `providers`?\n"
        "5:17 E0901 there is no resource `google_x_y.this`\n"
        "6:20 E0901 there is no output `idd`\n"
        "  did you mean `id`?\n");
}

TEST_CASE("becomes: says what each kind of module becomes") {
  const auto on_google = [](const std::string& text) {
    return modules::on_google(*ModuleWithResources(text).interface).name;
  };
  CHECK(on_google("") == "none");
  CHECK(on_google("resources: {}\n") == "values");
  CHECK(on_google("resources: {}\nmodel: {login: {}}\n") == "slurm");
  CHECK(on_google("resources: {google_x_y.this: {}}\n") == "resources");
  CHECK(on_google("kind: packer\ntemplate: {}\n") == "image");
  CHECK(on_google("kind: packer\n") == "none");
  const ModuleWithResources one("local: there is no sea here\n");
  CHECK(modules::on_this_machine(*one.interface).text == "nothing (there is no sea here)");
  const ModuleWithResources two("model: {login: {}}\n");
  CHECK(modules::on_this_machine(*two.interface).name == "cluster");
}

TEST_CASE("becomes: names the modules of Cluster Toolkit's that a module calls") {
  const ModuleWithResources one(
      "resources:\n"
      "  google_x_y.this: {}\n"
      "  toolkit_module.kubectl_apply: {path: modules/management/kubectl-apply, providers: "
      "[helm]}\n"
      "outputs:\n"
      "  ready: {value: $(toolkit_module.kubectl_apply.ready), help: Whether it is there.}\n");
  CHECK(one.messages().empty());
  CHECK_FALSE(modules::is_called(*one.interface));
  CHECK(modules::on_google(*one.interface).name == "resources");
  CHECK(modules::on_google(*one.interface).text ==
        "Google's resources, and Cluster Toolkit's `kubectl-apply` for what is on Kubernetes");
}
