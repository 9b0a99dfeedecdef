// A command that is to run on a node: what a client asks for and what the node does with it.
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

// The request that a supervisor understands (supervisor.h), and the command of one.
nlohmann::json exec_request(const std::string& node, const NodeCommand& command);
NodeCommand command_from_json(const nlohmann::json& body);

// In a process that is inside the node: becomes the command. `streams` are its stdin, stdout and
// stderr; without them it gets a terminal of the node, whose other end is sent over `connection`
// with {"state": "started"}. `default_folder` is the working directory where the command names
// none. Exit status 127 when the program is not there, 126 when it cannot be run, as a shell has
// it.
[[noreturn]] void become_command(const NodeCommand& command, std::vector<Fd> streams,
                                 int connection, const std::string& default_folder);

}  // namespace slipway::local
