// Images of nodes for local clusters: root file systems with another Debian, and so another Slurm,
// than the host's. They are built by the recipe in images/ of Slipway's source.
//
//   <images>/<name>/root/         the root file system
//   <images>/<name>/image.json    what it is; a running deployment has it locked (flock, shared)
//
// The folder is /var/lib/slipway/images, whoever asks: only root can build one, and everybody can
// start nodes from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

struct LocalImage {
  std::string name;     // "trixie-0123456789ab": the release and a digest of all that went into it
  std::string release;  // of Debian
  std::string slurm;    // the version of its Slurm: "24.11.5"
  std::string built;    // when, UTC: "2026-11-21T22:45:06Z"
  std::filesystem::path folder;

  std::filesystem::path root() const { return folder / "root"; }

  // False: it was built before Slipway could, and its nodes do without.
  bool looks_at_nodes() const;
};

// What an image is made from.
struct ImageRecipe {
  std::filesystem::path source = ".";    // Slipway's source tree
  std::string release = "trixie";        // Debian's
  std::string mirror;                    // of Debian's archive; empty: mmdebstrap's choice
  std::vector<std::string> apt_options;  // lines of apt.conf, while it is made
};

class ImageStore {
 public:
  explicit ImageStore(std::filesystem::path folder = "/var/lib/slipway/images")
      : folder_(std::move(folder)) {}

  // Every image, by name.
  std::vector<LocalImage> list() const;

  // Throws Error, with a suggestion, when there is none of that name.
  LocalImage find(const std::string& name) const;

  // The name that an image would have.
  static std::string name_of(const ImageRecipe& recipe);

  // Makes it with mmdebstrap, which takes minutes. It is there whole, or not at all. Throws Error.
  LocalImage build(const ImageRecipe& recipe) const;

  // Throws Error when a deployment runs from it.
  void remove(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

// What nodes start from: the image's root file system; for "", this machine's own. Throws Error.
std::filesystem::path image_root(const std::string& name);

// Held by a deployment as long as it runs. Throws Error when the image is being removed.
Fd hold_image(const LocalImage& image);
bool is_held(const LocalImage& image);

}  // namespace slipway::local
