// Reads and writes the journal of a change, and the plan in force.
#include "launcher/local/journal.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "launcher/local/plan_json.h"

namespace slipway::local {

using nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(Journal::Phase, {{Journal::Phase::asked, "asked"},
                                              {Journal::Phase::going, "going"},
                                              {Journal::Phase::back, "back"}})

namespace {

constexpr const char* change_schema = "slipway/local-change/1";

}  // namespace

std::optional<Journal> Journal::read(const DeploymentFolder& folder) try {
  if (!std::filesystem::exists(folder.journal())) return std::nullopt;
  const json from = json::parse(read_file(folder.journal()));
  if (from.at("schema") != change_schema) throw Error("another version of slipway wrote it");
  Journal journal;
  from.at("phase").get_to(journal.phase);
  journal.wanted = plan_from_json(from.at("wanted"));
  from.at("force").get_to(journal.force);
  journal.patient = from.value("patient", false);
  from.at("timeout_seconds").get_to(journal.timeout_seconds);
  from.at("adopted").get_to(journal.adopted);
  from.at("held").get_to(journal.held);
  from.at("why").get_to(journal.why);
  return journal;
} catch (const json::exception& error) {
  throw Error(fmt::format("cannot read {}: {}", folder.journal().string(), error.what()));
}

void Journal::write(const DeploymentFolder& folder) const {
  const json text = {
      {"schema", change_schema}, {"phase", phase},     {"wanted", to_json(wanted)},
      {"force", force},          {"patient", patient}, {"timeout_seconds", timeout_seconds},
      {"adopted", adopted},      {"held", held},       {"why", why}};
  write_file(folder.journal(), text.dump() + "\n", 0600);
}

void remove_journal(const DeploymentFolder& folder) {
  std::filesystem::remove(folder.journal());
}

Plan plan_in_force(const DeploymentFolder& folder) try {
  return plan_from_json(json::parse(read_file(folder.plan())));
} catch (const json::exception& error) {
  throw Error(fmt::format("cannot read {}: {}", folder.plan().string(), error.what()));
}

void put_in_force(const Plan& plan, const DeploymentFolder& folder) {
  write_file(folder.description(), describe(plan).dump(2) + "\n");
  write_file(folder.plan(), to_json(plan).dump() + "\n", 0600);
}

bool is_complete(const DeploymentFolder& folder) {
  return std::filesystem::exists(folder.plan());
}

}  // namespace slipway::local
