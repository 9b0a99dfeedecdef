// Reads the firewall rules that protect the metadata server from the kernel.
#include "common/metadata_rules.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <string_view>

#include "common/error.h"
#include "common/process.h"

namespace slipway {
namespace {

constexpr const char* nft = "/usr/sbin/nft";

// Identifies the nft program; changes when the package is updated.
std::string which_nft() {
  struct stat info = {};
  ::stat(nft, &info);
  return fmt::format("nft of {}.{}, {} bytes\n", info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     info.st_size);
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::optional<std::string> metadata_rules_now() {
  try {
    // Numeric, since a user may have been renamed in the meantime.
    const ProcessResult listed =
        run_process({nft, "--numeric", "list", "table", "inet", "slipway_metadata"},
                    {"", std::chrono::seconds(2)});
    if (listed.ok()) return which_nft() + listed.output;
    const bool is_gone =
        !listed.timed_out && listed.errors.find("No such file or directory") != std::string::npos;
    return is_gone ? std::optional<std::string>("") : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool are_other_rules(const std::string& made, const std::string& now) {
  return made != now && (now.empty() || first_line(made) == first_line(now));
}

}  // namespace slipway
