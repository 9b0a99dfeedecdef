// Requests to a deployment's supervisor: connecting, asking, and running commands on nodes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/interrupts.h"
#include "common/process.h"
#include "launcher/local/command.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// The control socket in the deployment's folder, accessible to its owner only. The supervisor
// itself must call listen(), because clients see the process that did as their peer. Throws Error.
Fd bind_control_socket(const DeploymentFolder& folder);

// A connection to the supervisor, or an empty Fd if nothing listens.
Fd try_to_connect(const DeploymentFolder& folder);

// A connection to the supervisor. Throws Error with advice if the deployment does not exist or is
// dead.
Fd connect_to_supervisor(const DeploymentFolder& folder);

// The supervisor's process ID in the caller's PID namespace.
pid_t supervisor_pid(int connection);

// Sends one request and waits for the answer. Throws Error if the answer is an error.
nlohmann::json request(const DeploymentFolder& folder, const nlohmann::json& body,
                       std::chrono::milliseconds limit = std::chrono::seconds(10));

// Runs a command on a node without a terminal and collects its output. At the deadline the command
// is hung up and `timed_out` is set. Throws Error("interrupted") if `interrupts` is given and a
// signal arrives.
ProcessResult run_on_node(const DeploymentFolder& folder, const std::string& node,
                          const NodeCommand& command, std::chrono::milliseconds deadline,
                          const Interrupts* interrupts = nullptr);

// Runs a command on a node with the caller's terminal or standard streams, passes signals on, and
// returns its exit code (128 + n if signal n ended it).
int attach_to_node(const DeploymentFolder& folder, const std::string& node, NodeCommand command);

}  // namespace slipway::local
