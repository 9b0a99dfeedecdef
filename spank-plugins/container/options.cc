// The options and environment variables with which a job asks for a container.
#include "spank-plugins/container/options.h"

namespace slipway::container {
namespace {

constexpr OptionRow all_options[] = {
    {"container-image", "PATH|[USER@][REGISTRY#]IMAGE[:TAG]",
     "run the tasks in this image: a squashfs file on the nodes if it begins with `/` or `.`, "
     "otherwise an image of a registry",
     Field::image, nullptr},
    {"container-mounts", "SRC:DST[:FLAGS][,...]",
     "show files and folders of the node in the container; SRC alone is shown at the same place, "
     "and may be tmpfs or umount; FLAGS are joined by `+`, such as ro+mkdir",
     Field::mounts, nullptr},
    {"container-workdir", "PATH", "start the tasks in this folder of the container", Field::workdir,
     nullptr},
    {"container-name", "NAME[:auto|create|exec|no_exec]",
     "keep the container under this name, or use the container of this name; `create` fails if it "
     "exists, `exec` fails unless it runs, `no_exec` fails if it runs",
     Field::name, nullptr},
    {"container-save", "PATH", "write the container to this squashfs file at the end of the step",
     Field::save, nullptr},
    {"container-env", "NAME[,NAME...]",
     "let these variables of the job win over the image's, and set them for the entrypoint, too",
     Field::environment, nullptr},
    {"container-unshare", "net|ipc|uts[,...]",
     "give the container namespaces of its own, apart from the node's", Field::unshared, nullptr},
    {"container-mount-home", nullptr, "show your home folder in the container", Field::mount_home,
     "yes"},
    {"no-container-mount-home", nullptr, "do not show your home folder in the container",
     Field::mount_home, "no"},
    {"container-remap-root", nullptr,
     "be root in the container, without any rights of root on the node", Field::remap_root, "yes"},
    {"no-container-remap-root", nullptr, "keep your own user id in the container",
     Field::remap_root, "no"},
    {"container-entrypoint", nullptr, "run the image's entrypoint before the tasks",
     Field::entrypoint, "yes"},
    {"no-container-entrypoint", nullptr, "do not run the image's entrypoint", Field::entrypoint,
     "no"},
    {"container-entrypoint-log", nullptr, "print what the entrypoint writes", Field::entrypoint_log,
     "yes"},
    {"container-writable", nullptr, "let the tasks change the container's files", Field::writable,
     "yes"},
    {"container-readonly", nullptr, "do not let the tasks change the container's files",
     Field::writable, "no"},
};

constexpr VariableRow all_variables[] = {
    {"PYXIS_CONTAINER_IMAGE", Field::image, false},
    {"PYXIS_CONTAINER_MOUNTS", Field::mounts, false},
    {"PYXIS_CONTAINER_WORKDIR", Field::workdir, false},
    {"PYXIS_CONTAINER_NAME", Field::name, false},
    {"PYXIS_CONTAINER_SAVE", Field::save, false},
    {"PYXIS_CONTAINER_ENV", Field::environment, false},
    {"PYXIS_CONTAINER_UNSHARE", Field::unshared, false},
    {"PYXIS_CONTAINER_MOUNT_HOME", Field::mount_home, false},
    {"PYXIS_CONTAINER_REMAP_ROOT", Field::remap_root, false},
    {"PYXIS_CONTAINER_ENTRYPOINT", Field::entrypoint, false},
    {"PYXIS_CONTAINER_ENTRYPOINT_LOG", Field::entrypoint_log, false},
    {"PYXIS_CONTAINER_WRITABLE", Field::writable, false},
    {"PYXIS_CONTAINER_READONLY", Field::writable, true},
};

}  // namespace

std::span<const OptionRow> option_rows() {
  return all_options;
}

std::span<const VariableRow> variable_rows() {
  return all_variables;
}

bool is_flag(Field field) {
  return field == Field::mount_home || field == Field::remap_root || field == Field::entrypoint ||
         field == Field::entrypoint_log || field == Field::writable;
}

}  // namespace slipway::container
