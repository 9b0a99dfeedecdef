// The administrator's settings of the plugin: its arguments in plugstack.conf, named like pyxis's.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace slipway::container {

// The arguments that plugstack.conf can give, and what they mean.
struct ArgumentHelp {
  const char* name;
  const char* help;
};
inline constexpr ArgumentHelp argument_help[] = {
    {"runtime_path=FOLDER",
     "where each user's containers are on a node; /run/slipway/containers if missing"},
    {"container_scope=global|job",
     "how long a named container stays: until it is removed, or until its job ends; global if "
     "missing"},
    {"execute_entrypoint=yes|no",
     "run the entrypoint of images where the job does not say it; no "
     "if missing"},
    {"mount_home=yes|no", "the same for the home folder; no if missing"},
    {"remap_root=yes|no", "the same for being root in the container; no if missing"},
    {"writable=yes|no", "the same for writable containers; no if missing"},
    {"kernel_images=yes|no",
     "let the kernel mount images that root owns, in folders that only root can write, instead of "
     "squashfuse_ll; no if missing"},
    {"sbatch_support=yes|no",
     "let sbatch and salloc have the options, too, so that a batch script runs in a container; yes "
     "if missing"},
    {"importer=FILE",
     "the program that imports images of registries, as `slipway container import` does if it is "
     "missing; docs/guides/containers.md says how it is called"}};

struct Settings {
  std::filesystem::path runtime_path = "/run/slipway/containers";
  bool job_scope = false;
  bool execute_entrypoint = false;
  bool mount_home = false;
  bool remap_root = false;
  bool writable = false;
  bool kernel_images = false;
  bool sbatch_support = true;
  std::string importer;  // empty: `slipway container import`
};

// Throws Error at the first word that is unknown, repeated or malformed, quoting it.
Settings parse_settings(std::span<const std::string> words);

}  // namespace slipway::container
