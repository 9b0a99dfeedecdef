// Checks the file systems that a blueprint asks machines to mount in settings of its own, such as
// `network_storage`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Why a path is not a mount point, or "".
std::string path_problem(const std::string& path);

// The same for a machine of a cluster, also for folders in which the operating system has its
// files.
std::string mount_problem(const std::string& path);

// The places where a setting of a module, or the variable that it gets, writes `mount` as the mount
// point of an entry.
std::vector<Span> written_mounts(const Module& module, const Deployment& deployment,
                                 std::string_view setting, const std::string& mount);

// Reports entries without a server, that cannot be mounted where they say, or that have the mount
// point of another one. Only settings that the blueprint or one of its variables writes: entries
// from `use` are checked at their module.
void check_storage(const Module& module, Evaluation& evaluation, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
