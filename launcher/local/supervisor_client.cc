// A client of the supervisor.
#include "launcher/local/supervisor_client.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/local/message.h"

namespace slipway::local {

using nlohmann::json;

void Client::answer(const json& body) const {
  try {
    send_message(connection.get(), body);
  } catch (const Error&) {
    // The client is gone.
  }
}

void Client::add_failed(const std::string& node, const std::string& reason) {
  const auto same =
      std::ranges::find_if(failed, [&](const json& one) { return one.at("reason") == reason; });
  if (same != failed.end()) {
    same->at("nodes").push_back(node);
  } else {
    failed.push_back({{"nodes", {node}}, {"reason", reason}});
  }
}

void Client::answer_when_started() {
  if (!starting.empty()) return;
  answer({{"failed", failed}});
  done = true;
}

}  // namespace slipway::local
