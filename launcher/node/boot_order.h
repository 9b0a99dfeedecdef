// What a compute node waits for before it takes jobs, in this order: the startup script, which
// combines the local SSDs and configures Docker; the GPUs' networks; the daemons' device files and
// containers. docs/guides/images.md, "What a machine waits for".
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// How the startup script stands, by systemd's properties of its unit and by the file that our
// runners write.
enum class StartupScript { absent, running, done };

// Parses `systemctl show --property=LoadState,ActiveState,Job` of google-startup-scripts.service. A
// unit whose start is still queued is running.
StartupScript startup_script_state(const std::string& properties);

// Where runners.sh of the module startup-script writes how it ended: "done", or what failed.
inline constexpr const char* startup_result_path = "/run/slipway/startup-script";

// How long a startup script that runs has run, from `systemctl show
// --property=InactiveExitTimestampMonotonic` and the time since the machine's start.
std::chrono::seconds startup_script_age(const std::string& properties,
                                        std::chrono::microseconds uptime);

// Waits for the startup script; returns at once without systemd or without such a unit. Ends a
// script that has run for longer than `limit` (0: no limit), and writes that as its result. Throws
// Error if a runner failed, or if time is up.
void wait_for_startup_script(const Patience& patience,
                             std::chrono::seconds limit = std::chrono::seconds(0),
                             const std::filesystem::path& result = startup_result_path);

// Waits until each network interface of the machine that the profile has too has an address, or
// until two minutes have passed: then the transport's own check reports it. Says so in one line.
void wait_for_networks(const Patience& patience, const NodeProfile& profile,
                       const MachineMetadata& self);

// The device files that a daemon's command mounts, from its words `--volume=/dev/NAME:...`: Docker
// would make a folder in place of a missing file.
std::vector<std::string> devices_of(const NodeTransport::Daemon& daemon);

// Waits until they exist. Throws Error if time is up.
void wait_for_devices(const Patience& patience, const NodeTransport::Daemon& daemon,
                      const std::filesystem::path& root = "/");

}  // namespace slipway::node
