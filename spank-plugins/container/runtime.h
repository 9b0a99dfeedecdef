// A container on this node: made once for a step, then joined by each of its tasks.
//
// Everything here runs with the rights of the job's user. What needs root happens before, in
// root_help.h.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/fd.h"
#include "spank-plugins/container/request.h"

namespace slipway::container {

using Environment = std::map<std::string, std::string>;

// What root opened for the user, where it could: empty descriptors are opened as the user.
struct RootHelp {
  Fd fuse;          // /dev/fuse, which some machines keep for root
  Fd kernel_image;  // a detached mount of the image by the kernel, if root owns the image
};

struct ContainerPlan {
  std::filesystem::path image;    // a squashfs file; or a folder that is the root itself
  std::filesystem::path changes;  // folder of a named container's changes, made if missing;
                                  // empty: in memory, gone with the container
  std::vector<MountRequest> mounts;
  std::string workdir;            // empty: what the image or the job has
  bool mount_home = false;
  bool remap_root = false;
  bool writable = false;
  bool entrypoint = false;        // run /etc/rc of the image
  std::filesystem::path entrypoint_log;
  std::vector<std::string> unshared;    // of "net", "ipc", "uts"
  std::filesystem::path batch_script;   // mounted into the container; empty: none
  Environment job;                      // of the step's tasks
  std::vector<std::string> job_wins;    // names whose values in `job` beat the image's
};

// A container that is up. Tasks inherit the descriptors from slurmstepd, which starts it.
struct Container {
  pid_t keeper = 0;          // holds the namespaces and serves the file system
  Fd namespaces;             // a pidfd of the keeper, for setns(2)
  Environment environment;   // of a task: the job's, under the image's
  std::string workdir;       // inside
};

// Starts a container. Throws Error with what the user has to know; nothing is left behind then.
Container start(const ContainerPlan& plan, RootHelp help);

// Moves the calling task into the container: its namespaces, root, working directory.
// Single-threaded processes only. Throws Error.
void join(const Container& container);

// Ends the keeper and everything in the container that is left. Does nothing if it is gone.
void stop(Container& container) noexcept;

// Writes the container's root as a squashfs file, for --container-save. Throws Error.
void save(const Container& container, const std::filesystem::path& file);

}  // namespace slipway::container
