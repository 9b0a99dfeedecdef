// Mounts in a container's root: the notation of enroot and pyxis, and what it does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spank-plugins/container/environment.h"
#include "spank-plugins/container/request.h"

namespace slipway::container {

enum class MountKind { bind, file_system, unmount };
enum class MakeTarget { no, automatic, folder, file };

struct MountFlags {
  MountKind kind = MountKind::bind;
  MakeTarget make = MakeTarget::no;
  bool recursive = false;
  bool may_fail = false;
  uint64_t set = 0;          // MOUNT_ATTR_…
  uint64_t clear = 0;        // of the access times, which are a choice and not bits
  uint64_t propagation = 0;  // MS_PRIVATE, …; 0: unchanged
  bool propagation_recursive = false;
  std::vector<std::string> options;  // of a file system: "size=1G"
};

// A line of fstab(5): source, target, type, options; enroot allows less than four fields.
struct MountLine {
  std::string source, target, type;
  std::vector<std::string> flags;
};

// What the words mean. Throws Error if one is unknown; a file system gets those that are not ours.
MountFlags understand_flags(const std::vector<std::string>& words, std::string_view type);

// A --container-mounts entry as a line: `x-create=auto,rbind`, which its own flags can change.
MountLine line_of(const MountRequest& request);

// The lines of an image's /etc/fstab, with ${NAME} replaced by the job's value. Throws Error with
// the line's number.
std::vector<MountLine> parse_fstab(std::string_view text, const Environment& job);

// The node's root and the container's, as open folders.
struct Roots {
  int node = -1;
  int container = -1;
};

// Mounts one line. `src` is looked up in the node's root with the user's rights, the target in the
// container's. Throws Error with the line, unless its flags say `nofail`.
void mount_line(const Roots& roots, const MountLine& line);

// Sets the propagation that the line asks for again, in the container: the copy of a mount for
// another user namespace is private or a slave. Throws Error.
void repeat_propagation(const MountLine& line);

}  // namespace slipway::container
