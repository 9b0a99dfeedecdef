// The firewall rules that keep users away from a machine's metadata server. launcher/node makes
// them (metadata_guard.h), launcher/health checks that they are still there.
#pragma once

#include <optional>
#include <string>

namespace slipway {

// The family and the name of our table: nft(8).
inline constexpr const char* metadata_table = "inet slipway_metadata";

// The rules as a script for nft: nftables.service runs it when it reloads the firewall.
inline constexpr const char* metadata_rules_file = "/etc/slipway/metadata.nft";

// The file with what metadata_rules_now() returned right after the rules were made, or with
// metadata_is_open where the blueprint lets everybody in. It does not survive a restart.
inline constexpr const char* metadata_rules_made = "/run/slipway/metadata-rules";
inline constexpr const char* metadata_is_open = "open to every user\n";

// The table as the kernel has it now, as this machine's nft prints it, after a line that identifies
// that nft. Empty when there is no such table; nothing when nft does not answer, which says nothing
// about the rules: users can cause it with enough load.
std::optional<std::string> metadata_rules_now();

// Whether two of those answers show different rules. Only answers of the same nft can be compared.
bool are_other_rules(const std::string& made, const std::string& now);

}  // namespace slipway
