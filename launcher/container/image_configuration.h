// What an image's configuration says about its containers, as the files that enroot writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::container {

// The part of an OCI image's configuration that a container needs; any of it may be empty.
struct ImageConfiguration {
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::vector<std::string> entrypoint, command;
  std::string workdir;
  std::vector<std::string> volumes;  // folders
  std::string architecture;          // "amd64"
};

// Reads the configuration of the only image of an OCI layout (index.json, blobs/). The files come
// from a registry: sizes, digests and types are checked. Throws Error.
ImageConfiguration read_configuration(const std::filesystem::path& layout);

// /etc/rc: changes to the working directory and runs the entrypoint with the command's words, or
// with the image's own command if there are none.
std::string rc_text(const ImageConfiguration& configuration);

// /etc/fstab: each volume is writable and its own.
std::string fstab_text(const ImageConfiguration& configuration);

// /etc/environment, one variable a line. Variables with a line break in them cannot be in it.
std::string environment_text(const ImageConfiguration& configuration);

}  // namespace slipway::container
