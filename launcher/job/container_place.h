// The container of a job on this node, from its agent's side: a process of another step holds it,
// and tasks join it.
//
// docs/decisions/0127-tasks-join-a-container.md.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::job {

// The command that holds a container, for a step with --container-image: it writes its process
// number to a file in the node's part of `folder`, and ends when the agent does.
std::vector<std::string> holding_command(const std::filesystem::path& folder);

// What a task needs to join a container. Valid in child processes, too.
struct Container {
  std::vector<std::string> environment;  // "NAME=value", as the container's plugin made it
  std::vector<Fd> namespaces;            // that differ from ours, the user namespace first
  Fd root, workdir;

  // Moves this process into the container. Single-threaded processes only. Returns what failed, or
  // nullptr; errno says why. Allocates nothing.
  const char* join() const;
};

class ContainerPlace {
 public:
  // Creates this node's part of the folder, which the container and its tasks see, too, and keeps
  // temporary folders of this process in it. Nodes may share the folder. Throws Error.
  ContainerPlace(std::filesystem::path folder, const std::string& node);
  ~ContainerPlace();
  ContainerPlace(const ContainerPlace&) = delete;
  ContainerPlace& operator=(const ContainerPlace&) = delete;

  // Whether the container is up. Throws Error if it cannot be joined.
  bool ready();
  // Whether the process that holds it has ended; false before it was ready.
  bool is_gone() const;
  const Container& container() const { return container_; }

 private:
  std::filesystem::path shared_, folder_;
  Fd hold_;    // the holding command reads it until we end
  Fd holder_;  // a pidfd
  Container container_;
  bool ready_ = false;
};

}  // namespace slipway::job
