// Reads and writes what a host says about itself.
#include "launcher/hosts/host_facts.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json.h"

namespace slipway::hosts {
namespace {

using nlohmann::json;

constexpr const char* schema = "slipway/host/1";

}  // namespace

std::string to_json(const HostFacts& facts) {
  const SlurmVersion& slurm = facts.slurm;
  return json{{"schema", schema},
              {"version", facts.version},
              {"host_name", facts.host_name},
              {"slurm", {slurm.year, slurm.month, slurm.micro}},
              {"has_pmix", facts.has_pmix},
              {"has_cgroups", facts.has_cgroups},
              {"programs", facts.programs},
              {"plugins", facts.plugins},
              {"deployment", facts.deployment},
              {"has_foreign_slurm", facts.has_foreign_slurm},
              {"node_line", facts.node_line},
              {"profile", to_json(facts.profile)},
              {"warnings", facts.warnings},
              {"missing", facts.missing}}
      .dump();
}

HostFacts parse_host_facts(const std::string& text) {
  const json body = parse_json(text);
  const JsonValue value(body);
  if (value.at("schema").text() != schema) {
    throw Error(fmt::format("it has another version of Slipway: it answers with {}, expected {}",
                            value.at("schema").text(), schema));
  }
  const std::vector<JsonValue> slurm = value.at("slurm").items();
  if (slurm.size() != 3) value.at("slurm").expected("three numbers");
  HostFacts facts;
  facts.version = value.at("version").text();
  facts.host_name = value.at("host_name").text();
  const auto number = [&](size_t i) { return static_cast<int>(slurm[i].whole(0, 9999)); };
  facts.slurm = {number(0), number(1), number(2)};
  facts.has_pmix = value.at("has_pmix").boolean();
  facts.has_cgroups = value.at("has_cgroups").boolean();
  facts.programs = value.at("programs").text();
  facts.plugins = value.at("plugins").text();
  facts.deployment = value.at("deployment").text();
  facts.has_foreign_slurm = value.at("has_foreign_slurm").boolean();
  facts.node_line = value.at("node_line").text();
  facts.profile = parse_node_profile(value.at("profile").text(), "its node profile");
  facts.warnings = value.at("warnings").texts();
  facts.missing = value.at("missing").texts();
  return facts;
}

}  // namespace slipway::hosts
