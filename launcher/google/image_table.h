// Reads blueprints/catalogue/images.yaml: the image that a machine type needs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::google {

// A public image to build on.
struct ImageBase {
  std::string project;       // of the public image
  std::string architecture;  // "amd64" or "arm64"
  bool has_driver = false;   // NVIDIA's, included or installed by the recipe
};

struct ImageOfMachine {
  std::string pattern;          // of machine types: "a3-megagpu-8g*"
  std::string transport, base;  // what its image has
  std::string lacks;            // what no image of ours has; may be empty
};

// A project with public images.
struct ImagePublisher {
  std::vector<std::string> families;  // patterns: "debian-[0-9]*"
  std::string like;                   // an example: "debian-12"

  bool has_family(const std::string& family) const;
};

struct ImageTable {
  std::map<std::string, ImageBase, std::less<>> bases;         // by name: "debian-13"
  std::map<std::string, std::string, std::less<>> transports;  // the usual base of each
  std::vector<ImageOfMachine> machines;                        // the first that matches counts

  std::map<std::string, ImagePublisher, std::less<>> publishers;  // by project

  // Null if there is none.
  const ImageOfMachine* of(std::string_view machine_type) const;

  // "slipway-tcpxo", or "slipway-socket-accelerator-amd64" where the base is not the usual one.
  std::string family(const std::string& transport, const std::string& base) const;

  // The transport and the base of one of our families, also of an image of it, whose name has a
  // suffix; nothing for another image.
  std::optional<ImageOfMachine> made_by_us(std::string_view image) const;
};

// From the folder `catalogue` of `library`; empty without the file. Throws Error if it is invalid.
ImageTable load_image_table(const std::filesystem::path& library);

}  // namespace slipway::google
