// A command to run on a node: what the client sends, and how the node runs it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

struct NodeCommand {
  std::vector<std::string> argv;  // empty: the user's login shell
  std::string user = "root";      // a user of the node
  std::string folder;             // working directory; empty: see default_folder
  std::string terminal;           // the client's TERM when it is on a terminal; empty without one
  unsigned short rows = 0, columns = 0;  // of the client's terminal
};

// Converts a command to the request that the supervisor expects (supervisor.h), and back.
nlohmann::json exec_request(const std::string& node, const NodeCommand& command);
NodeCommand command_from_json(const nlohmann::json& body);

// Turns the calling process, which must be inside the node, into the command. `streams` are its
// stdin, stdout and stderr; if empty, the node opens a terminal and sends the other end over
// `connection` with {"state": "started"}. `default_folder` is the working directory if the command
// names none. Exits with 127 if the program does not exist and 126 if it cannot be run, as a shell
// does.
[[noreturn]] void become_command(const NodeCommand& command, std::vector<Fd> streams,
                                 int connection, const std::string& default_folder);

}  // namespace slipway::local
