// Finds and makes paths in the root of a container that is being built.
//
// Links and `..` are followed by hand, one name at a time: a link of the image is relative to the
// container's root, and a path that leads above that root is an error. No name is looked up twice,
// so nobody who changes folders in the meantime can lead a mount elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/fd.h"

namespace slipway::container {

enum class Missing { fails, becomes_folder, becomes_file };

// An O_PATH descriptor of `path` below the folder `root`. What is missing is made, with folders of
// mode 0755 above it. Throws Error with the path.
Fd open_in_root(int root, const std::filesystem::path& path, Missing missing = Missing::fails);

// The same, but an empty Fd if it does not exist.
Fd find_in_root(int root, const std::filesystem::path& path);

// The bytes of a regular file of the image, which anybody may have made; empty if there is none.
// Throws Error if it has more than `limit` bytes.
std::string read_in_root(int root, const std::filesystem::path& path, size_t limit = 1 << 20);

// Writes a file in a folder of the root. An existing one is replaced; a link is not followed.
void write_in_root(int root, const std::filesystem::path& path, std::string_view text,
                   mode_t mode = 0644);

// In a folder that open_in_root() has found.
void remove_from_folder(int folder, const std::string& name);
void write_in_folder(int folder, const std::string& name, std::string_view text,
                     mode_t mode = 0644);

// How other system calls name the open file, while a /proc is mounted at its place.
std::string name_of(int fd);

}  // namespace slipway::container
