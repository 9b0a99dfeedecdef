// Where an image comes from, in enroot's notation and ours.
#pragma once

#include <filesystem>
#include <string>

namespace slipway {

// The registry of images that name none.
constexpr const char* usual_registry = "docker.io";

struct ImageAddress {
  enum class Kind {
    registry,  // docker://[USER@][REGISTRY#]IMAGE[:TAG]
    daemon,    // dockerd://IMAGE[:TAG], podman://IMAGE[:TAG]
    folder,    // dir:FOLDER: a root, or an image in OCI's layout
    archive,   // tar:FILE: a root, or what `docker save` and `skopeo copy` write
  };
  Kind kind = Kind::registry;
  std::string user;            // of the registry; may be empty
  std::string registry;        // "nvcr.io", "localhost:5000"; never empty if kind is registry
  std::string image;           // "nvidia/nemo"
  std::string tag;             // ":25.11" or "@sha256:…"
  std::string daemon;          // skopeo's name of it
  std::filesystem::path path;  // of a folder or an archive
};

// Throws Error if the text is not an address. What looks like a password is refused, not repeated.
ImageAddress parse_address(const std::string& text);

// What skopeo copies from: "docker://nvcr.io/nvidia/nemo:25.11". Not for roots.
std::string skopeo_source(const ImageAddress& address);

// The file that enroot would write: "nvidia+nemo+25.11.sqsh".
std::string default_file(const ImageAddress& address);

}  // namespace slipway
