// Closes this machine's metadata server to everyone except root and the users that the blueprint
// names. The server gives tokens for the machine's service account to anyone who asks:
// docs/background/security.md. It is also the machine's DNS, NTP and DHCP server; those stay open
// to everyone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace slipway::node {

// An nft(8) script that blocks every user except root and `users`. It replaces our own table
// atomically and leaves other rules alone.
std::string metadata_rules(const std::vector<uid_t>& users);

// Closes the metadata server to every user except root and `users`; "*" means everyone. Reports
// users that this machine does not know to `say`; they stay blocked. Also writes the rules to a
// file for services that reload the firewall. Throws Error if the kernel refuses them.
void guard_metadata(const std::vector<std::string>& users,
                    const std::function<void(const std::string&)>& say);

}  // namespace slipway::node
