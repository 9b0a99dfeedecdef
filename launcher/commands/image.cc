// slipway image: root file systems for the nodes of local clusters.
#include <fmt/core.h>
#include <unistd.h>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/verb.h"
#include "launcher/local/image_store.h"

namespace slipway::commands {
namespace {

void print_images(const std::vector<local::LocalImage>& images) {
  fmt::print("{:<24} {:<10} {:<20} {}\n", "IMAGE", "SLURM", "BUILT", "USE");
  for (const local::LocalImage& image : images) {
    fmt::print("{:<24} {:<10} {:<20} {}\n", image.name, image.slurm, image.built,
               local::is_held(image) ? "in use" : "-");
  }
}

void require_root() {
  if (::geteuid() != 0) throw Error("only root can do this: an image has files of many owners");
}

int build_image(Args args) {
  local::ImageRecipe recipe;
  std::string source = ".";
  CommandLine line(
      "slipway image build", "[SOURCE] [options]",
      "Make an image by the recipe in images/ of Slipway's source tree, unless one of "
      "the same recipe,\nsource and release is there. It takes minutes, and mmdebstrap.");
  line.positional("SOURCE", &source, Arity::optional);
  line.option("release", "NAME", "Debian's release (default trixie, which has Slurm 24.11)",
              &recipe.release);
  line.option("mirror", "URL", "where Debian's archive is (default: as mmdebstrap has it)",
              &recipe.mirror);
  line.option("apt-option", "LINE", "a line of apt.conf while the image is made, such as a proxy's",
              &recipe.apt_options);
  line.example("slipway image build", "in the source tree, as root");
  line.example("slipway image build --release sid", "for the newest Slurm that Debian has");
  if (!line.parse(args)) return 0;
  require_root();
  recipe.source = source;
  const local::ImageStore store;
  const std::string name = local::ImageStore::name_of(recipe);
  for (const local::LocalImage& image : store.list()) {
    if (image.name != name) continue;
    fmt::print(stderr, "it is there already: nothing that goes into it has changed\n");
    fmt::print("{}\n", name);
    return 0;
  }
  fmt::print(stderr, "building {}, which takes minutes\n", name);
  fmt::print("{}\n", store.build(recipe).name);
  return 0;
}

int list_images(Args args) {
  CommandLine line("slipway image list", "", "List the images on this machine.");
  line.example("slipway image list", "their names are for `slipway deploy --image`");
  if (!line.parse(args)) return 0;
  const std::vector<local::LocalImage> images = local::ImageStore().list();
  if (images.empty()) {
    fmt::print("no images\n");
  } else {
    print_images(images);
  }
  return 0;
}

int remove_image(Args args) {
  std::string name;
  CommandLine line("slipway image remove", "NAME", "Remove an image that no deployment runs from.");
  line.positional("NAME", &name);
  line.example("slipway image remove trixie-0123456789ab", "as root");
  if (!line.parse(args)) return 0;
  require_root();
  local::ImageStore().remove(name);
  return 0;
}

}  // namespace

int image(Args args) {
  return run_part(
      {"slipway image",
       "Root file systems for nodes of clusters on this machine: another Debian, and so another "
       "Slurm,\nthan this machine has.",
       {{"build", build_image}, {"list", list_images}, {"remove", remove_image}},
       {{"slipway image build --help", "how one is made"},
        {"slipway deploy cluster.yaml --image trixie-0123456789ab", "a cluster from it"}}},
      args);
}

}  // namespace slipway::commands
