// Closes the metadata server of this machine to everybody but root and the users that the blueprint
// names. The server gives tokens of the machine's service account to whoever asks:
// docs/security.md. It is also the machine's DNS, NTP and DHCP server; these stay open to
// everybody.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace slipway::node {

// A script for nft(8) that keeps every user out but root and `users`. It replaces our own table in
// one step; rules of others stay.
std::string metadata_rules(const std::vector<uid_t>& users);

// Closes the metadata server to every user but root and `users`; "*" is everybody. `say` is told
// about users that this machine does not know, who stay out. Also writes the rules to a file for
// whatever reloads the firewall. Throws Error when the kernel refuses them.
void guard_metadata(const std::vector<std::string>& users,
                    const std::function<void(const std::string&)>& say);

}  // namespace slipway::node
