// Who may talk to the metadata server of this machine: root, and who the blueprint says.
//
// The server gives the machine's service account to whoever asks: docs/security.md. It is also the
// machine's DNS, NTP and DHCP server, which stay open to everybody.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace slipway::node {

// What nft(8) reads to keep every user out but these; as a table of our own, so that rules of
// others stay. Replaces the table that is there in one step.
std::string metadata_rules(const std::vector<uid_t>& users);

// Closes the metadata server to every user but root and those that are named; "*" is everybody.
// `say` is told about a user that this machine does not know, who stays out. Also leaves the rules
// in a file, for whatever reloads the firewall. Throws Error when the kernel does not take them.
void guard_metadata(const std::vector<std::string>& users,
                    const std::function<void(const std::string&)>& say);

}  // namespace slipway::node
