// Supervises a node's services from its PID 1: restarts those that fail, as systemd does for units
// with Restart=on-failure.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "launcher/node/service.h"

namespace slipway::node {

// `running_services` has a file for each running service ("slurmctld") that contains its process
// ID. A service with a file in `held_services` is not restarted, for rehearsals. One with a file in
// `restarted_services` is restarted when PID 1 gets SIGHUP: PID 1 does all of it, so that a command
// that is killed does not leave the service stopped.
inline constexpr const char* running_services = "/run/slipway/services";
inline constexpr const char* held_services = "/run/slipway/held";
inline constexpr const char* restarted_services = "/run/slipway/restart";

// Starts supervising a service whose process is `pid`, started after `since`.
void supervise_service(const Service& service, pid_t pid,
                       std::chrono::system_clock::time_point since);

// Call for each child that has ended. A service that failed, by its status or by a signal that is
// not a request to end, is started again after a second. The delay doubles each time, up to 30 s,
// until the service has run for a minute. A service that ended on request stays stopped.
void child_ended(pid_t pid, int wait_status);

// Starts services that are due. Returns the time until the next one is; negative if none is.
std::chrono::milliseconds start_due_services();

// Makes every stopped service due now.
void start_all_services();

// From any process of the node: has PID 1 end a service and start it again. Waits until `ready`
// returns true. Throws Error if the service ends again at once, or is not ready within `limit`.
void restart_service(const std::string& name, const std::function<bool()>& ready,
                     std::chrono::seconds limit);

// From any process of the node: ends a service, if it runs, which PID 1 then does not start until
// it is released. Throws Error if it has not ended within `limit`.
void hold_service(const std::string& name, std::chrono::seconds limit);
void release_service(const std::string& name);

}  // namespace slipway::node
