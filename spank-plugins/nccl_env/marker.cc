// How nccl_env knows its own values again.
#include "spank-plugins/nccl_env/marker.h"

#include <nlohmann/json.hpp>

namespace slipway::nccl_env {

using nlohmann::json;

std::string write_marker(const Environment& ours) {
  return json(ours).dump();
}

Environment read_marker(const Environment& environment) {
  const auto marker = environment.find(marker_name);
  if (marker == environment.end()) return {};
  const json j = json::parse(marker->second, nullptr, /*allow_exceptions=*/false);
  Environment ours;
  if (!j.is_object()) return ours;
  for (const auto& [name, value] : j.items()) {
    if (value.is_string()) ours.emplace(name, value.get<std::string>());
  }
  return ours;
}

}  // namespace slipway::nccl_env
