// Firewall rules that keep users away from the metadata server.
#include "launcher/node/metadata_guard.h"

#include <fmt/core.h>
#include <pwd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/metadata_rules.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* nft = "/usr/sbin/nft";

void write_in_folder(const fs::path& path, const std::string& text) {
  make_directories(path.parent_path());
  write_file(path, text);
}

// Add it first, so that deleting succeeds even if the table does not exist.
std::string without_table() {
  return fmt::format("add table {0}\ndelete table {0}\n", metadata_table);
}

std::string rules_just_made() {
  const auto rules = metadata_rules_now();
  if (!rules || rules->empty()) throw Error("nft does not list the rules that it made");
  return *rules;
}

std::string text_of(const std::vector<uid_t>& users) {
  std::set<uid_t> all(users.begin(), users.end());
  all.insert(0);
  std::vector<std::string> texts;
  for (const uid_t user : all) texts.push_back(fmt::format("{}", user));
  return join(texts, ", ");
}

std::vector<uid_t> ids_of(const std::vector<std::string>& names,
                          const std::function<void(const std::string&)>& say) {
  std::vector<uid_t> ids;
  for (const std::string& name : names) {
    if (const passwd* entry = ::getpwnam(name.c_str())) {
      ids.push_back(entry->pw_uid);
    } else {
      say(fmt::format(
          "this machine has no user `{}`; a user of that name cannot reach the metadata server",
          name));
    }
  }
  return ids;
}

}  // namespace

// skuid is the user that opened the socket, numbered as on the machine: root of a user namespace is
// not 0 here. Packets from a container's network namespace are forwarded, and their owner is not
// used. A packet without an owner may end one of root's connections but never begin one. There is
// no connection tracking, which would slow down every connection of the machine.
//
// Ports: https://docs.cloud.google.com/compute/docs/internal-dns (53),
// https://docs.cloud.google.com/compute/docs/instances/configure-ntp (123); DHCP (67, 547) is
// renewed by a systemd user.
std::string metadata_rules(const std::vector<uid_t>& users) {
  return without_table() + fmt::format(R"(table {} {{
  chain output {{
    type filter hook output priority filter; policy accept;
    ip daddr 169.254.169.254 goto own
    ip6 daddr fd20:ce::254 goto own
  }}
  chain forward {{
    type filter hook forward priority filter; policy accept;
    ip daddr 169.254.169.254 goto others
    ip6 daddr fd20:ce::254 goto others
  }}
  chain own {{
    meta skuid {{ {} }} accept
    meta skuid 0-4294967295 goto others
    tcp flags & (syn | ack) == syn goto others
    meta l4proto tcp accept
    goto others
  }}
  chain others {{
    tcp dport 53 accept
    udp dport {{ 53, 67, 123, 547 }} accept
    meta l4proto tcp reject with tcp reset
    reject
  }}
}}
)",
                                       metadata_table, text_of(users));
}

void guard_metadata(const std::vector<std::string>& users,
                    const std::function<void(const std::string&)>& say) {
  const bool open = std::ranges::find(users, "*") != users.end();
  const std::string rules = open ? without_table() : metadata_rules(ids_of(users, say));
  // Until the new rules are in place, health checks must have nothing to compare with.
  std::error_code none;
  fs::remove(metadata_rules_made, none);
  try {
    // A machine that is open to everyone does not need nft.
    if (!open || fs::exists(nft)) run_checked({nft, "--file", "-"}, {rules, 30s});
    write_in_folder(metadata_rules_file, rules);
    write_in_folder(metadata_rules_made, open ? metadata_is_open : rules_just_made());
  } catch (const Error& error) {
    throw error.within("cannot close the metadata server to users");
  }
}

}  // namespace slipway::node
