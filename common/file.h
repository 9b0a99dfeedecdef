// Reads whole files, and writes whole files or nothing.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway {

// The bytes of `path`. Throws Error with the path ("cannot read x.yaml: No such file or
// directory").
std::string read_file(const std::filesystem::path& path);

// Reads a file whose name comes from someone else. Also throws Error if it is not a regular file (a
// pipe may never end, a device may never answer) or has more than `limit` bytes.
std::string read_regular_file(const std::filesystem::path& path, size_t limit);

// The last lines of an output for an error message, joined by "…"; "nothing" for an empty one.
std::string last_lines_of(std::string_view output, size_t lines);

// The same of a log; also "nothing" if there is no file.
std::string last_lines(const std::filesystem::path& log, size_t lines = 1);

// Writes `text` to a temporary file in the same folder, syncs it to disk, and renames it to `path`:
// a reader sees the old file or the new one, and a full disk or a crash of the machine leaves one
// of them whole. `mode` is set before the first byte is written. Throws Error with the path, also
// when require_replaceable() does.
void write_file(const std::filesystem::path& path, std::string_view text, mode_t mode = 0644);

// Throws Error if `path` exists and is not a regular file: a rename would replace a device, a pipe
// or a socket that others use by that name. A symbolic link is refused as well, wherever it points:
// replacing it would detach its target, and following it would let the owner of a folder choose the
// file that is written.
void require_replaceable(const std::filesystem::path& path);

// Makes `path` and its missing parents. Throws Error with the path.
void make_directories(const std::filesystem::path& path, mode_t mode = 0755);

}  // namespace slipway
