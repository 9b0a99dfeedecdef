// What PID 1 of a node does for the services that it has started: as systemd does it for units with
// Restart=on-failure.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "launcher/node/service.h"

namespace slipway::node {

// `running_services` has a file for each service that runs, with its process id: "slurmctld". A
// service with a file in `held_services` is not started again, for rehearsals. One with a file in
// `restarted_services` is restarted when PID 1 gets SIGHUP: PID 1 does all of it, so that a command
// that is killed does not leave the service stopped.
inline constexpr const char* running_services = "/run/slipway/services";
inline constexpr const char* held_services = "/run/slipway/held";
inline constexpr const char* restarted_services = "/run/slipway/restart";

// From now on the service is kept running; `pid` is its process.
void keep(const Service& service, pid_t pid);

// To be told of each child that has ended. A service that has failed, by its status or by a signal
// that is no request to end, is due again after a second; twice as late each time, 30 s at most,
// until it has run for a minute. One that has ended as it was asked to stays away.
void child_ended(pid_t pid, int wait_status);

// Starts services that are due. Returns the time until the next one is; a negative one when none
// is.
std::chrono::milliseconds start_due_services();

// Every service that does not run is due now.
void start_all_services();

// From any process of the node: has PID 1 end a service and start it again. Waits until `ready`
// says that it serves again. Throws Error when it ends again at once, or is not ready within
// `limit`.
void restart_service(const std::string& name, const std::function<bool()>& ready,
                     std::chrono::seconds limit);

}  // namespace slipway::node
