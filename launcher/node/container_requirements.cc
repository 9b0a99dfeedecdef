// Checks which plugin gives jobs containers.
#include "launcher/node/container_requirements.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/fd.h"

namespace slipway::node {
namespace {

using State = Requirement::State;

// Of two plugins, Slurm gives the options to the first, but both read PYXIS_CONTAINER_IMAGE.
Requirement one_plugin(const std::string& plugstack, bool pyxis, bool ours) {
  Requirement one{"containers", "srun --container-image", State::ok,
                  pyxis ? "by pyxis" : "by Slipway's plugin"};
  if (pyxis && ours) {
    one.state = State::missing;
    one.found = "plugstack.conf names Slipway's plugin and pyxis";
    one.remedy = "set the controller's `containers` to pyxis, or remove pyxis's line";
  } else if (!pyxis && !ours && plugstack.find("containers: none") != plugstack.npos) {
    one.found = "none, as the blueprint says";
  } else if (!pyxis && !ours) {
    one.state = State::warning;
    one.found = "plugstack.conf names no plugin for them";
    one.remedy = "set the controller's `containers`, or install Slipway again on this node";
  }
  return one;
}

Requirement plugin_file(const std::filesystem::path& file) {
  const bool is_there = ::access(file.c_str(), R_OK) == 0;
  return {file.string(),
          "srun --container-image",
          is_there ? State::ok : State::missing,
          "",
          "",
          "install Slipway on this node"};
}

Requirement fuse(const std::filesystem::path& device) {
  Requirement one{device.string(), "users mount the images of their containers with it"};
  if (Fd(::open(device.c_str(), O_RDWR | O_CLOEXEC))) return one;
  one.state = State::warning;
  one.found = "you may not open it, or it is not there";
  one.remedy = "as root: modprobe fuse; chmod 0666 /dev/fuse";
  return one;
}

}  // namespace

std::vector<Requirement> container_requirements(const std::string& plugstack,
                                                const std::filesystem::path& plugin,
                                                const std::filesystem::path& root) {
  const bool pyxis = plugstack.find("spank_pyxis.so") != plugstack.npos;
  const bool ours = plugstack.find("/container.so") != plugstack.npos;
  std::vector<Requirement> all{one_plugin(plugstack, pyxis, ours)};
  if (pyxis) {
    Requirement enroot = program_required("/usr/bin/enroot", "pyxis starts containers with it", "",
                                          Needed::sometimes);
    enroot.remedy = "build the image with --containers pyxis: docs/guides/images.md";
    all.push_back(std::move(enroot));
  } else if (ours) {
    all.push_back(plugin_file(plugin));
    all.push_back(program_required("/usr/bin/squashfuse", "mounts the images of containers",
                                   "squashfuse", Needed::sometimes));
    all.push_back(fuse(root / "dev/fuse"));
  }
  return all;
}

}  // namespace slipway::node
