// A dump of another cluster's job history: Slurm's database as text, from mysqldump or
// mariadb-dump.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::node {

struct HistoryDump {
  std::vector<std::string> tables;    // that it makes, in its order
  std::vector<std::string> clusters;  // whose jobs it has, by Slurm's ClusterName
};

// Throws Error if it is not a whole dump of one database of Slurm's accounting.
HistoryDump read_history_dump(std::string_view text);

// The cluster of the dump whose history is wanted: `wanted`, or the only one. Throws Error.
std::string choose_cluster(const HistoryDump& dump, const std::string& wanted);

// What to run in an empty database to have the dump there, with the history of `from` as that of
// the cluster `to`. Names of clusters are in the names of tables.
std::string import_statements(std::string text, const HistoryDump& dump, const std::string& from,
                              const std::string& to);

}  // namespace slipway::node
