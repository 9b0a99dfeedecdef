// Writes slurmdbd.conf for a database that is on another machine.
#include "launcher/node/external_database.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/node/cluster_files.h"

namespace slipway::node {
namespace {

using nlohmann::json;

// A value as Slurm's parser reads it: `#` begins a comment unless a backslash is before it.
std::string escaped(const char* what, const std::string& value) {
  std::string out;
  for (const char c : value) {
    if (c == '"' || static_cast<unsigned char>(c) < ' ') {
      throw Error(
          fmt::format("{} in the database's secret contains a quote or a control character, "
                      "which slurmdbd.conf cannot have",
                      what));
    }
    if (c == '#' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string line(const char* key, const char* what, const std::string& value) {
  if (value.empty()) throw Error(fmt::format("the database's secret has no {}", what));
  return fmt::format("{}=\"{}\"\n", key, escaped(what, value));
}

std::string member(const json& login, const char* name) {
  const auto found = login.find(name);
  return found != login.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string login_lines(const std::string& secret) {
  const json login = json::parse(secret, nullptr, false);
  if (!login.is_object()) throw Error("the database's secret is not a JSON object");
  const std::string server = member(login, "server_ip");
  const size_t colon = server.rfind(':');
  // An IPv6 address has more than one.
  const bool has_port = colon != server.npos && server.find(':') == colon;
  std::string lines =
      line("StorageHost", "server_ip", server.substr(0, has_port ? colon : server.npos));
  if (has_port) lines += line("StoragePort", "server_ip", server.substr(colon + 1));
  lines += line("StorageUser", "user", member(login, "user"));
  lines += line("StoragePass", "password", member(login, "password"));
  lines += line("StorageLoc", "db_name", member(login, "db_name"));
  return lines;
}

std::string slurmdbd_conf_mark(const ClusterFile& cluster) {
  const auto file = cluster.files.find(database_file);
  return fmt::format("# {} {}\n", file == cluster.files.end() ? "" : file->second,
                     cluster.database ? cluster.database->version : 0);
}

std::string own_slurmdbd_conf(const Patience& patience, Cloud& cloud, const MachineMetadata& self,
                              const ClusterFile& cluster) {
  std::string text =
      slurmdbd_conf_mark(cluster) + fetch_file(patience, cloud, self, cluster, database_file);
  if (!cluster.database) return text;
  const ExternalDatabase& database = *cluster.database;
  const std::string secret =
      persist(patience, fmt::format("the database's login from {}", database.secret), [&] {
        const auto value = cloud.secret(database.secret, database.version);
        if (!value) throw NotYet(fmt::format("there is no version {}", database.version));
        return *value;
      });
  return text + login_lines(secret);
}

bool runs_slurmdbd(const MachineMetadata& self, const ClusterFile& cluster) {
  if (self.role != "controller" || !cluster.files.contains(database_file)) return false;
  return self.name == cluster.controller || !cluster.backup || cluster.database.has_value();
}

}  // namespace slipway::node
