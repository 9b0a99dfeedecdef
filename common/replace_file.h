// Replaces the contents of a user's file.
#pragma once

#include <filesystem>
#include <string_view>

namespace slipway {

// As write_file() does, for a file that exists: it keeps its mode, owner and group. Throws Error
// with the path, also when only another user could keep the owner.
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace slipway
