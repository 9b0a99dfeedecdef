// The image of a container: a squashfs file that is served by squashfuse or mounted by the kernel,
// or a folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "common/fd.h"
#include "spank-plugins/container/slurmstepd_line.h"

namespace slipway::container {

struct Image {
  Fd file;  // of the squashfs; or the folder, O_PATH
  bool is_folder = false;
};

// Opens the image as the user. Throws Error if it is missing, or neither a squashfs nor a folder.
Image open_image(const std::filesystem::path& path);

// Serves the image at the empty folder `mount_point`, read-only, without setuid files and device
// nodes: the caller is root of its user namespace and has its own mount namespace. The server is a
// child of the caller and ends with it; its program is one of `node`, the node's root. Throws Error
// with what the server says.
void serve_image(const Image& image, int node, const std::string& mount_point, StepdLine& line);

}  // namespace slipway::container
