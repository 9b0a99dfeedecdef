// Reads the plain exports of the vendor's profile on the node, a shell script. Never runs any of
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::nccl_env {

struct VendorVariables {
  std::vector<std::pair<std::string, std::string>>
      variables;  // NCCL variables, in the script's order
  // Lines that set an NCCL variable, or read another script, in a way that only a shell can
  // evaluate.
  std::vector<int> skipped;
};

// Takes the plain exports of `text`: `export NAME=value`, with quotes, and with $NAME or ${NAME} of
// variables that are in `inputs` or were exported above. Skips all other shell code; code within
// `if`, loops, functions or braces may not run, so nothing in it is taken. Only NCCL variables are
// taken: PATH, LD_PRELOAD or CUDA_VISIBLE_DEVICES cannot be set this way.
VendorVariables parse_vendor_profile(std::string_view text,
                                     const std::map<std::string, std::string>& inputs);

// Throws Error if anybody besides root can write the file or its folder.
void require_of_root(const std::filesystem::path& path);

// Reads the profile with the caller's rights; as root, only if nobody else can have written it.
// Throws Error.
std::string read_vendor_profile(const std::filesystem::path& path);

}  // namespace slipway::nccl_env
