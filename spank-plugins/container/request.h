// What a job asks for with --container-* or PYXIS_CONTAINER_*: pyxis's notation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::container {

// SRC:DST[:FLAG+FLAG]. `source` is a path on the node, "tmpfs" or "umount".
struct MountRequest {
  std::string source;
  std::string target;
  std::vector<std::string> flags;  // "ro", "mkdir", "x-create=dir"; empty: pyxis's default
};

// What follows the name: --container-name=NAME[:create|:exec|:no_exec|:auto].
enum class Reuse { automatic, create, exec, no_exec };

// A field that is empty was not asked for; the administrator's default applies.
struct Request {
  std::optional<std::string> image;  // a path that begins with . or /, or [docker://]…
  std::vector<MountRequest> mounts;
  std::optional<std::string> workdir;
  std::optional<std::string> name;
  Reuse reuse = Reuse::automatic;
  std::optional<std::string> save;       // where the container is written to at the end
  std::vector<std::string> environment;  // names whose values in the job beat the image's
  std::vector<std::string> unshared;     // of "net", "ipc", "uts"
  std::optional<bool> mount_home;
  std::optional<bool> remap_root;
  std::optional<bool> entrypoint;
  std::optional<bool> writable;
  std::optional<bool> entrypoint_log;  // print what the entrypoint writes
};

}  // namespace slipway::container
