// Talking to the supervisor of a deployment.
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

// The control socket in the deployment's folder, for its owner only; the supervisor itself has to
// listen on it, because a client sees the process that did as its peer. Throws Error.
Fd bind_control_socket(const DeploymentFolder& folder);

// A connection to the supervisor, or an empty Fd when nobody listens.
Fd try_to_connect(const DeploymentFolder& folder);

// A connection to the supervisor. Throws Error that says what to do when the deployment is not
// there or is dead.
Fd connect_to_supervisor(const DeploymentFolder& folder);

// The supervisor's process, as the caller sees it.
pid_t supervisor_pid(int connection);

// Sends one request and waits for its answer. Throws Error when the answer is an error.
nlohmann::json request(const DeploymentFolder& folder, const nlohmann::json& body,
                       std::chrono::milliseconds limit = std::chrono::seconds(10));

// Runs a command on a node and collects its output; for our own use, without terminal and signals.
// At the deadline it is hung up, and `timed_out` is set. Throws Error("interrupted") when
// `interrupts` are given and one comes.
ProcessResult run_on_node(const DeploymentFolder& folder, const std::string& node,
                          const NodeCommand& command, std::chrono::milliseconds deadline,
                          const Interrupts* interrupts = nullptr);

// Runs a command on a node with the caller's terminal or standard streams, passes signals on, and
// returns its exit code (128 + n when signal n ended it).
int attach_to_node(const DeploymentFolder& folder, const std::string& node, NodeCommand command);

}  // namespace slipway::local
