// pyxis's notation of images, mounts, names and lists. The functions throw Error if a value is
// wrong; the messages do not say which option has it, which the caller adds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spank-plugins/container/request.h"

namespace slipway::container {

// An image that begins with `.` or `/` is a file; any other is in a registry.
bool is_file(std::string_view image);

// The image of a registry as `slipway container import` and enroot take it:
// `docker://[USER@][REGISTRY#]IMAGE[:TAG]`.
std::string registry_address(const std::string& image);

std::string parse_image(std::string_view text);

// SRC:DST[:FLAG+FLAG…][,…]; SRC alone is mounted at the same place.
std::vector<MountRequest> parse_mounts(std::string_view text);

struct Name {
  std::string name;
  Reuse reuse = Reuse::automatic;
};

// NAME[:auto|:create|:exec|:no_exec]. A name becomes the name of a folder.
Name parse_name(std::string_view text);

// NAME[,NAME…]
std::vector<std::string> parse_variables(std::string_view text);

// net[,ipc][,uts]
std::vector<std::string> parse_unshared(std::string_view text);

// A folder in the container.
std::string parse_workdir(std::string_view text);

// A file's name.
std::string parse_save(std::string_view text);

// 1, true, yes, y, 0, false, no or n.
bool parse_yes(std::string_view text);

}  // namespace slipway::container
