// The vendor's own profile on the node: a shell script whose plain exports are taken, and of which
// nothing is ever run.
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
  std::vector<std::pair<std::string, std::string>> variables;  // NCCL's, in the order of the script
  // Lines that set one of NCCL's variables, or read another script, in a way that only a shell
  // knows the outcome of.
  std::vector<int> skipped;
};

// The plain exports of `text`: `export NAME=value`, with quotes, and with $NAME or ${NAME} of a
// variable that is in `inputs` or was exported above. Everything else of the shell's is passed
// over; what is within `if`, a loop, a function or braces may not happen, and is not taken. Other
// variables than NCCL's are the task's own business: PATH, LD_PRELOAD or CUDA_VISIBLE_DEVICES
// cannot be set this way.
VendorVariables parse_vendor_profile(std::string_view text,
                                     const std::map<std::string, std::string>& inputs);

// Reads the profile with the caller's rights. As root only when nobody else can have written it.
// Throws Error.
std::string read_vendor_profile(const std::filesystem::path& path);

}  // namespace slipway::nccl_env
