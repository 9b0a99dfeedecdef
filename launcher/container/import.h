// Makes a squashfs image, as `enroot import` does, from a registry, a daemon, a folder or an
// archive.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "common/image_address.h"

namespace slipway::container {

struct ImportOptions {
  std::filesystem::path output;  // the image
  bool replace = false;          // an image that is there
  std::string architecture;      // of the image, as Debian or uname name it; empty: this machine's
  std::string compressor = "zstd";              // of mksquashfs, or "none"
  unsigned threads = 0;                         // 0: this process's CPUs
  bool allow_http = false;                      // registries without HTTPS
  std::function<void(const std::string&)> say;  // what is happening, a line for each step
};

// The image is complete when it appears under its name; until then it is a hidden file beside it.
// All files in it belong to root. Throws Error, or ReportedError when the error is printed.
void import_image(const ImageAddress& address, const ImportOptions& options);

}  // namespace slipway::container
