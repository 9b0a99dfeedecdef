// Tests the number of machines for TPU topologies with small test modules.
#include "launcher/blueprint/tpu_nodes.h"

#include "common/file.h"
#include "launcher/blueprint/compile.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

namespace {

constexpr const char* pool =
    "about: A pool.\n"
    "inputs:\n"
    "  machine_type: {type: string, default: null}\n"
    "  placement_policy: {type: any, default: null}\n"
    "  enable_flex_start: {type: bool, default: false}\n"
    "  static_node_count: {type: number, default: null}\n";
constexpr const char* policy =
    "about: A policy.\n"
    "inputs: {workload_policy: {type: any}}\n"
    "outputs: {machine_type: {value: ct6e-standard-4t}}\n";

struct CompiledMachines {
  explicit CompiledMachines(const std::string& settings, const std::string& rest = "") {
    for (const auto& [name, text] : {std::pair{"pool", pool}, std::pair{"policy", policy}}) {
      make_directories(folder / "modules" / name);
      write_file(folder / "modules" / name / "module.yaml", text);
    }
    blueprint::Texts texts;
    texts.blueprint = sources.add("x.yaml",
                                  "blueprint_name: x\nvars: {deployment_name: d, shape: 2x2x4}\n"
                                  "deployment_groups:\n- group: g\n  modules:\n"
                                  "  - {id: p, source: modules/pool, settings: {" +
                                      settings + "}" + rest);
    blueprint::Options options;
    options.validation_level = blueprint::Level::ignore;
    compiled = blueprint::compile(texts, options, library, sources, diagnostics);
  }
  // The count as HCL, "" if it is not set, "refused: …" after an error.
  std::string count() const {
    if (diagnostics.errors() > 0) {
      const source::Diagnostic first = diagnostics.sorted().front();
      return "refused: " + first.message + " (" + first.helps.front() + ")";
    }
    const auto& settings = compiled->deployment.find("p").module->settings;
    const auto found = settings.find("static_node_count");
    return found == settings.end() ? "" : to_hcl(*found->second.value);
  }

  TemporaryDirectory folder;
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  modules::Library library{folder.path(), sources};
  std::unique_ptr<blueprint::Compiled> compiled;
};

std::string count(const std::string& settings, const std::string& rest = "}\n") {
  return CompiledMachines(settings, rest).count();
}

std::string placed(const std::string& machine_type, const std::string& topology) {
  return count("machine_type: " + machine_type + ", placement_policy: {tpu_topology: " + topology +
               "}");
}

}  // namespace

TEST_CASE("tpu nodes: a pool has as many machines as its topology needs") {
  CHECK(placed("ct6e-standard-4t", "4x4") == "4");
  CHECK(placed("ct5lp-hightpu-8t", "8x16") == "16");
  CHECK(placed("tpu7x-standard-4t", "$(vars.shape)") == "4");
}

TEST_CASE("tpu nodes: the topology can be in the policy of a used module") {
  const std::string policy_of_pool =
      ", use: [w]}\n"
      "  - {id: w, source: modules/policy, settings: {workload_policy: {accelerator_topology: "
      "4x4x4}}}\n";
  CHECK(count("machine_type: ct5p-hightpu-4t", policy_of_pool) == "16");
  CHECK(count("machine_type: ct5p-hightpu-4t, placement_policy: {tpu_topology: 2x2x1}",
              policy_of_pool) == "1");
  CHECK(count("machine_type: $(w.machine_type)", policy_of_pool) == "");
}

TEST_CASE("tpu nodes: a count in the blueprint stays unchanged") {
  CHECK(count("machine_type: ct6e-standard-4t, static_node_count: 9, placement_policy: "
              "{tpu_topology: 4x4}") == "9");
  CHECK(count("machine_type: ct6e-standard-4t, static_node_count: null, placement_policy: "
              "{tpu_topology: 4x4}") == "null");
}

TEST_CASE("tpu nodes: no count is set without a topology, without TPUs, or for flex start") {
  CHECK(count("machine_type: ct6e-standard-4t") == "");
  CHECK(placed("n2-standard-2", "4x4") == "");
  CHECK(placed("a3-highgpu-8g", "4x4") == "");
  CHECK(count("machine_type: ct6e-standard-4t, enable_flex_start: true, placement_policy: "
              "{tpu_topology: 4x4}") == "");
}

TEST_CASE("tpu nodes: a topology that whole machines cannot form is an error") {
  CHECK(placed("ct5p-hightpu-4t", "2x1x1") ==
        "refused: `placement_policy.tpu_topology`: machines of module `p` cannot form the topology "
        "`2x1x1` with 2 chips (machines of type `ct5p-hightpu-4t` have 4 chips each)");
  CHECK(placed("ct5p-hightpu-4t", "4x0") ==
        "refused: `placement_policy.tpu_topology`: machines of module `p` cannot form the topology "
        "`4x0` (write a topology as 4x4 or 2x2x4)");
}
