// The firewall rules that keep users away from a machine's metadata server. launcher/node creates
// them (metadata_guard.h), and launcher/health checks that they still exist.
#pragma once

#include <optional>
#include <string>

namespace slipway {

// Family and name of the table: nft(8).
inline constexpr const char* metadata_table = "inet slipway_metadata";

// The rules as a script for nft: nftables.service runs it when it reloads the firewall.
inline constexpr const char* metadata_rules_file = "/etc/slipway/metadata.nft";

// The file with the result of metadata_rules_now() right after the rules were created, or with
// metadata_is_open if the blueprint admits everyone. It does not survive a restart.
inline constexpr const char* metadata_rules_made = "/run/slipway/metadata-rules";
inline constexpr const char* metadata_is_open = "open to every user\n";

// The kernel's current table, as this machine's nft prints it, after a line that identifies nft.
// An empty text means that there is no table. nullopt means that nft did not answer, which proves
// nothing about the rules: users can cause it with enough load.
std::optional<std::string> metadata_rules_now();

// Whether two such answers show different rules. Only answers of the same nft can be compared.
bool are_other_rules(const std::string& made, const std::string& now);

}  // namespace slipway
