// A root file system of unknown origin, as a folder: its links may lead anywhere.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/fd.h"

namespace slipway::container {

class RootFolder {
 public:
  // Throws Error if it is not a folder.
  explicit RootFolder(std::filesystem::path folder);

  // Makes a folder and its parents. Links are followed as in the container: never out of the root.
  void make_folders(const std::filesystem::path& path) const;

  // Replaces a file, whatever is there: a link is removed, not followed.
  void replace_file(const std::filesystem::path& path, std::string_view text, unsigned mode) const;

  bool has(const std::filesystem::path& path) const;

  // Adds the rights that the owner needs to read everything, as mksquashfs does.
  void make_readable() const;

 private:
  Fd open_folder(const std::filesystem::path& path) const;

  std::filesystem::path folder_;
  Fd root_;
};

// Removes a folder with everything in it, also where the owner has no rights. Reports nothing.
void remove_all_of(const std::filesystem::path& folder) noexcept;

}  // namespace slipway::container
