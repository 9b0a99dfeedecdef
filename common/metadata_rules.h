// The firewall rules that keep users away from a machine's metadata server, as those see them who
// make them (launcher/node/metadata_guard.h) and who check that they are there (launcher/health).
#pragma once

#include <optional>
#include <string>

namespace slipway {

// The family and the name of our table: nft(8).
inline constexpr const char* metadata_table = "inet slipway_metadata";

// The rules as a script for nft, for whatever reloads the firewall: nftables.service does.
inline constexpr const char* metadata_rules_file = "/etc/slipway/metadata.nft";

// What metadata_rules_now() returned when the rules had just been made; metadata_is_open where the
// blueprint lets everybody in. Gone after a restart of the machine.
inline constexpr const char* metadata_rules_made = "/run/slipway/metadata-rules";
inline constexpr const char* metadata_is_open = "open to every user\n";

// The table as the kernel has it now, in the words of this machine's nft, after a line that tells
// which nft that is. Empty when there is no such table. Nothing when nft gave no answer: that says
// nothing about the rules, for users can bring it about with enough load.
std::optional<std::string> metadata_rules_now();

// Whether two of those answers are of different rules. Another nft may have other words.
bool are_other_rules(const std::string& made, const std::string& now);

}  // namespace slipway
