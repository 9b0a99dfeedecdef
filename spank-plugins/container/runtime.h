// A container on this node: made once for a step, then joined by each of its tasks.
//
// start() runs a small program, the keeper, as the job's user: it holds the container's namespaces
// and its file system, and ends everything in it when slurmstepd closes the connection or dies.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/text.h"
#include "spank-plugins/container/environment.h"
#include "spank-plugins/container/request.h"
#include "spank-plugins/container/transport_folder.h"

namespace slipway::container {

struct ContainerPlan {
  std::filesystem::path image;    // a squashfs file; or a folder that is the root itself
  std::filesystem::path changes;  // folder of a named container's changes, made if missing;
                                  // empty: in memory, gone with the container
  std::vector<MountRequest> mounts;
  std::string workdir;  // empty: where /etc/rc of the image changes to, otherwise /
  bool mount_home = false;
  bool remap_root = false;
  bool writable = false;
  bool entrypoint = false;  // without it, /etc/rc runs as far as its line `. /etc/rc.local`
  std::filesystem::path entrypoint_log;  // of /etc/rc's output; empty: dropped
  std::vector<std::string> unshared;     // of "net", "ipc", "uts"
  std::filesystem::path batch_script;    // mounted at its own place; empty: none
  std::filesystem::path joined;          // JoinedLock's; empty: nobody joins
  Environment job;                       // of the step's tasks
  std::vector<std::string> job_wins;     // names whose values in `job` beat the image's

  // Of Slurm and the administrator, never of the user.
  std::vector<NodeFolder> node_folders;  // each mounted unless the image has its file
  uint32_t job_id = 0;  // whose mount namespace the container is made in; 0: the caller's
  std::filesystem::path keeper = SLIPWAY_CONTAINER_KEEPER;  // the program
  std::chrono::seconds patience{600};                       // for the container to come up
  int life = -1;  // unless negative: a descriptor; the start is given up when it is readable
  bool kernel_images = false;  // the kernel mounts images that only root can write
};

// A container that is up. slurmstepd, which starts it, holds the descriptors; its tasks inherit
// them until they execute a program.
struct Container {
  pid_t keeper = 0;
  Fd process;          // a pidfd of the keeper
  Fd control;          // the keeper ends the container when this is closed; empty in attach()'s
  int namespaces = 0;  // CLONE_NEW… that tasks join
  bool pretends_ids = false;  // only the user's ids exist inside: changes to others seem to succeed
  Environment environment;    // of a task: the job's, and what the image sets over it
  std::string workdir;        // inside
  std::string library_folder;      // of the node's driver, for a task's LD_LIBRARY_PATH; or empty
  std::vector<std::string> notes;  // for the user: what of the node is not in the container
};

// Starts a container. Throws Error with what the user has to know; nothing is left then.
//
// Called in slurm_spank_user_init: with the user's effective ids, and root as the saved one, which
// root_help.h uses in a process of its own. As an ordinary user without a saved root it works, too.
Container start(const ContainerPlan& plan);

// A container that another step of the same user has started on this node. stop() leaves it alone.
// Throws Error if `keeper` is not the keeper of one.
Container attach(pid_t keeper);

// Whether attach() finds one. It says no as soon as the keeper has given up its locks.
bool is_up(pid_t keeper);

using slipway::join;  // of text.h, which the next join() hides

// Moves the calling task into the container: its namespaces, root, working directory. In
// slurm_spank_task_init, as the user; single-threaded processes only. Throws Error.
void join(const Container& container);

// Ends the keeper and everything in the container that is left. Does nothing if it is gone.
void stop(Container& container) noexcept;

// Writes the container's root as a squashfs file, for --container-save, without what is mounted in
// it. As the user, while the container is up: proctrack/linuxproc kills the keeper at the end of a
// step, before slurm_spank_exit, so call it in slurm_spank_task_exit of the last task. Throws
// Error.
//
// check_place_to_save() throws Error before the step begins if neither the caller nor the step's
// tasks could make the file. Returns what a task has to make before its end; or an empty text.
std::string check_place_to_save(const std::filesystem::path& file);
void save(const Container& container, const std::filesystem::path& file);

}  // namespace slipway::container
