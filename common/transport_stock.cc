// Writes and reads the inventory of a node's transport as JSON.
#include "common/transport_stock.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"

namespace slipway {

using nlohmann::json;

namespace {

constexpr size_t most_bytes = 64 << 10;

}  // namespace

std::string to_json(const TransportStock& stock) {
  const nlohmann::ordered_json j = {{"schema", "slipway/transport/1"},
                                    {"transport", stock.transport},
                                    {"nccl", stock.nccl},
                                    {"plugin", stock.plugin},
                                    {"daemon", stock.daemon},
                                    {"architecture", stock.architecture},
                                    {"digest", stock.digest},
                                    {"state", stock.state}};
  return j.dump(2) + "\n";
}

std::optional<TransportStock> load_transport_stock(const std::filesystem::path& path) {
  try {
    const json j = json::parse(read_regular_file(path, most_bytes));
    return TransportStock{j.at("transport"),    j.at("nccl"),   j.at("plugin"), j.at("daemon"),
                          j.at("architecture"), j.at("digest"), j.at("state")};
  } catch (const std::exception&) {  // Error, and nlohmann's exceptions
    return std::nullopt;
  }
}

}  // namespace slipway
