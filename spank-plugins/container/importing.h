// Imports an image of a registry, by a program that runs as the job's user.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "spank-plugins/container/as_user.h"
#include "spank-plugins/container/environment.h"

namespace slipway::container {

struct Importing {
  std::string importer;  // the administrator's program; empty: `slipway container import`
  std::filesystem::path runtime_path;
  std::filesystem::path output;  // a file for `slipway container import` to write
  Environment job;               // the program's environment
  std::chrono::seconds import_limit = std::chrono::hours(24);  // the job's own comes first
  std::chrono::seconds release_limit = std::chrono::seconds(20);
  int life = -1;  // unless negative: a descriptor; programs are killed when it is readable
};

// Makes a squashfs file of the image and returns its path. With an importer of the administrator,
// `IMPORTER get docker://IMAGE` prints the path, as with pyxis. Throws Error with what the program
// printed.
std::filesystem::path import_image(const User& user, const Importing& importing,
                                   const std::string& image);

// Tells the administrator's importer that the image is no longer used; nothing without one.
void release_image(const User& user, const Importing& importing) noexcept;

}  // namespace slipway::container
