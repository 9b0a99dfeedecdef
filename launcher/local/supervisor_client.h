// A client of the supervisor: a connection to its control socket, and what it has requested.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/fd.h"

namespace slipway::local {

struct Client {
  Fd connection;
  bool owner = true;     // of the deployment; others may request power only
  bool changes = false;  // it requested the change in progress
  pid_t pid = 0;         // of the command that it requested
  bool waits_for_starts = false;
  std::set<size_t> starting = {};                   // nodes that are not on yet
  nlohmann::json failed = nlohmann::json::array();  // [{"nodes", "reason"}]
  bool done = false;

  // Does not fail if the client did not wait for its answer.
  void answer(const nlohmann::json& body) const;

  // Groups nodes that failed for the same reason.
  void add_failed(const std::string& node, const std::string& reason);

  // Answers a power request once none of its nodes is still starting.
  void answer_when_started();
};

}  // namespace slipway::local
