// A client of the supervisor's: a connection to its control socket, and what was asked for on it.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/fd.h"

namespace slipway::local {

struct Client {
  Fd connection;
  bool owner = true;     // of the deployment; otherwise it may ask for power only
  bool changes = false;  // it has asked for the change that is under way
  pid_t pid = 0;         // of the command that it has asked for
  bool waits_for_starts = false;
  std::set<size_t> starting = {};                   // nodes that are not yet on
  nlohmann::json failed = nlohmann::json::array();  // [{"nodes", "reason"}]
  bool done = false;

  // A client that did not wait for its answer is no error.
  void answer(const nlohmann::json& body) const;

  // Nodes that failed for the same reason are told together.
  void add_failed(const std::string& node, const std::string& reason);

  // The answer to a request for power: when no node of it is starting any more.
  void answer_when_started();
};

}  // namespace slipway::local
