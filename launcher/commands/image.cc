// `slipway image`: builds, lists and removes root file systems for the nodes of local deployments.
#include <fmt/core.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/status_line.h"
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

nlohmann::ordered_json images_json(const std::vector<local::LocalImage>& images) {
  auto list = nlohmann::ordered_json::array();
  for (const local::LocalImage& image : images) {
    list.push_back({{"name", image.name},
                    {"release", image.release},
                    {"slurm", image.slurm},
                    {"built", image.built},
                    {"in_use", local::is_held(image)}});
  }
  return {{"schema", "slipway/images/1"}, {"images", std::move(list)}};
}

void require_root() {
  if (::geteuid() != 0) throw Error("this needs root: an image has files of many owners");
}

int build_image(Args args) {
  local::ImageRecipe recipe;
  std::string source = ".";
  CommandLine line("slipway image build",
                   "Build an image of a Debian release for the nodes of local deployments.");
  line.about(
      "The recipe is the folder images/ of Slipway's source tree, FOLDER (default .). If an image "
      "of the same recipe, "
      "source and release exists, nothing is built. A build takes minutes and needs root and "
      "mmdebstrap.");
  line.positional("FOLDER", &source, Arity::optional);
  line.option("release", "RELEASE", "Debian's release; trixie has Slurm 24.11", &recipe.release);
  line.option("mirror", "URL", "the Debian archive", &recipe.mirror, "mmdebstrap's");
  line.option("apt-option", "LINE", "a line for apt.conf during the build, such as a proxy",
              &recipe.apt_options);
  line.example("slipway image build", "in Slipway's source tree, as root");
  line.example("slipway image build --release sid", "get the newest Slurm in Debian");
  line.file("/var/lib/slipway/images", "the images");
  line.see_also("slipway-deploy(1)");
  if (!line.parse(args)) return 0;
  require_root();
  recipe.source = source;
  const local::ImageStore store;
  const std::string name = local::ImageStore::name_of(recipe);
  for (const local::LocalImage& image : store.list()) {
    if (image.name != name) continue;
    fmt::print(stderr, "the image exists and is up to date\n");
    fmt::print("{}\n", name);
    return 0;
  }
  fmt::print(stderr, "building {}; this takes minutes\n", name);
  const std::string built = [&] {
    StatusLine line;
    const auto work = line.during("building " + name);
    return store.build(recipe).name;
  }();
  fmt::print("{}\n", built);
  return 0;
}

int list_images(Args args) {
  bool json = false;
  CommandLine line("slipway image list", "List the images on this machine.");
  line.json("", &json);
  line.example("slipway image list", "their names are for `slipway deploy --image`");
  line.example("slipway image list --json | jq -r '.images[].name'", "for a program");
  if (!line.parse(args)) return 0;
  const std::vector<local::LocalImage> images = local::ImageStore().list();
  if (json) {
    fmt::print("{}\n", images_json(images).dump(2));
  } else if (images.empty()) {
    fmt::print("no images\n");
  } else {
    print_images(images);
  }
  return 0;
}

int remove_image(Args args) {
  std::string name;
  CommandLine line("slipway image remove", "Remove an image that no deployment uses.");
  line.positional("IMAGE", &name);
  line.example("slipway image remove trixie-0123456789ab", "as root");
  line.example("slipway image list", "find the name first");
  if (!line.parse(args)) return 0;
  require_root();
  local::ImageStore().remove(name);
  return 0;
}

}  // namespace

int image(Args args) {
  return run_part(
      {"slipway image",
       "Build, list and remove images for the nodes of local deployments.",
       "An image is a root file system with another Debian release, and so another Slurm, than "
       "this machine has.",
       {{"build", build_image}, {"list", list_images}, {"remove", remove_image}},
       {{"slipway image build --release trixie", "build an image with Slurm 24.11"},
        {"slipway deploy cluster.yaml --image trixie-0123456789ab", "start a cluster from it"}}},
      args);
}

}  // namespace slipway::commands
