// Node images for local clusters: root file systems with a different Debian release, and so a
// different Slurm, from the host's. The recipe is images/ in Slipway's source.
//
//   <images>/<name>/root/         the root file system
//   <images>/<name>/image.json    its description; locked (for reading) by running deployments
//
// The folder is /var/lib/slipway/images for every user: only root can build an image, but everyone
// can start nodes from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

struct LocalImage {
  std::string name;     // "trixie-0123456789ab": the release and a digest of everything the image
                        // is made from
  std::string release;  // Debian release
  std::string slurm;    // version of its Slurm: "24.11.5"
  std::string built;    // when, UTC: "2026-11-21T22:45:06Z"
  std::filesystem::path folder;

  std::filesystem::path root() const { return folder / "root"; }

  // False for images built before node_health existed; their nodes run no checks.
  bool has_node_health() const;
};

// What an image is made from.
struct ImageRecipe {
  std::filesystem::path source = ".";    // Slipway's source tree
  std::string release = "trixie";        // Debian release
  std::string mirror;                    // Debian mirror; empty: mmdebstrap's default
  std::vector<std::string> apt_options;  // lines for apt.conf during the build
};

class ImageStore {
 public:
  explicit ImageStore(std::filesystem::path folder = "/var/lib/slipway/images")
      : folder_(std::move(folder)) {}

  // All images, sorted by name.
  std::vector<LocalImage> list() const;

  // Throws Error with a suggestion if there is no such image.
  LocalImage find(const std::string& name) const;

  // The name that an image built from `recipe` would have.
  static std::string name_of(const ImageRecipe& recipe);

  // Builds the image with mmdebstrap, which takes minutes. It appears complete or not at all.
  // Throws Error.
  LocalImage build(const ImageRecipe& recipe) const;

  // Throws Error if a deployment runs from it.
  void remove(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

// The root file system that nodes start from: the image's, or for "" this machine's own. Throws
// Error.
std::filesystem::path image_root(const std::string& name);

// For messages: "trixie-0123456789ab", or "this machine's own root".
std::string name_of_image(const std::string& name);

// A lock that nodes hold as long as they run. Throws Error if the image is being removed.
Fd hold_image(const LocalImage& image);
bool is_held(const LocalImage& image);

}  // namespace slipway::local
