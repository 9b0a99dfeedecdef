// Reads and writes what the reconciler remembers.
#include "launcher/node/reconcile_memory.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/json.h"

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr const char* memory_schema = "slipway/reconcile/1";

}  // namespace

std::string to_json(const Memory& memory) {
  json attempts = json::object();
  for (const auto& [what, tried] : memory.attempts) {
    attempts[what] = {{"count", tried.count}, {"next", tried.next}};
  }
  const json all{{"schema", memory_schema},
                 {"since", memory.since},
                 {"attempts", std::move(attempts)},
                 {"templates", memory.templates},
                 {"reservations", memory.reservations},
                 {"policies_checked", memory.policies_checked},
                 {"refused_configuration", memory.refused_configuration},
                 {"said", memory.said}};
  return all.dump(1) + "\n";
}

Memory parse_memory(const std::string& text) {
  try {
    const json all = parse_json(text);
    if (all.at("schema") != memory_schema) throw Error("it has another schema");
    Memory memory;
    all.at("since").get_to(memory.since);
    for (const auto& [what, tried] : all.at("attempts").items()) {
      memory.attempts[what] = {tried.at("count"), tried.at("next")};
    }
    all.at("templates").get_to(memory.templates);
    all.at("reservations").get_to(memory.reservations);
    all.at("policies_checked").get_to(memory.policies_checked);
    all.at("refused_configuration").get_to(memory.refused_configuration);
    all.at("said").get_to(memory.said);
    return memory;
  } catch (const json::exception& error) {
    throw Error(error.what());
  }
}

Memory load_memory(const std::filesystem::path& path) {
  try {
    return parse_memory(read_file(path));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace slipway::node
