// Files: read whole, written whole or not at all.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway {

// The bytes of `path`. Throws Error with the path ("cannot read x.yaml: No such file or
// directory").
std::string read_file(const std::filesystem::path& path);

// The same of a file that somebody else names: throws Error, too, when it is not a regular file (a
// pipe may never end, a device may never begin) or has more than `limit` bytes.
std::string read_regular_file(const std::filesystem::path& path, size_t limit);

// The last lines of a log, for an error message: "…" between them, "nothing" when there are none or
// no file.
std::string last_words(const std::filesystem::path& log, size_t lines = 1);

// Writes `text` to a temporary beside `path`, then renames it over `path`: a reader sees the old
// file or the new one, and a full disk leaves the old one. `mode` is set before the first byte is
// written. Throws Error with the path, also when require_replaceable does.
void write_file(const std::filesystem::path& path, std::string_view text, mode_t mode = 0644);

// Throws Error when `path` exists and is not a regular file: a rename would put a file in the place
// of a device, a pipe or a socket that others have open by that name. A symbolic link is refused as
// well, wherever it points: replacing it would cut it off its target, following it would let a link
// in a folder of somebody else's choose the file that is written.
void require_replaceable(const std::filesystem::path& path);

// Makes `path` and its missing parents. Throws Error with the path.
void make_directories(const std::filesystem::path& path, mode_t mode = 0755);

}  // namespace slipway
