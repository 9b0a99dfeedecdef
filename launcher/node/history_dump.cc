// Reads a dump of Slurm's database as far as its tables' names.
#include "launcher/node/history_dump.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace slipway::node {
namespace {

constexpr std::string_view begin_of_table = "CREATE TABLE `";
constexpr std::string_view jobs_of_cluster = "_job_table";
// The last line of a dump that was not cut off.
constexpr std::string_view end_of_dump = "-- Dump completed";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

HistoryDump read_history_dump(std::string_view text) {
  HistoryDump dump;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(begin_of_table)) continue;
    const size_t from = begin_of_table.size();
    const std::string_view name = line.substr(from, line.find('`', from) - from);
    if (!is_name(name)) throw Error(fmt::format("it has a table with the name `{}`", name));
    dump.tables.emplace_back(name);
    if (name.ends_with(jobs_of_cluster)) {
      dump.clusters.emplace_back(name.substr(0, name.size() - jobs_of_cluster.size()));
    }
  }
  const auto has = [&](const char* table) {
    return std::ranges::find(dump.tables, table) != dump.tables.end();
  };
  if (!has("cluster_table") || !has("user_table") || dump.clusters.empty()) {
    throw Error("it is not a dump of Slurm's database: `mariadb-dump slurm_acct_db` makes one");
  }
  const std::string_view last = text.substr(text.size() - std::min<size_t>(text.size(), 200));
  if (last.find(end_of_dump) == last.npos) {
    throw Error("it is cut off: its last line is not `-- Dump completed`");
  }
  return dump;
}

std::string choose_cluster(const HistoryDump& dump, const std::string& wanted) {
  const std::string known = join(dump.clusters, ", ");
  if (wanted.empty()) {
    if (dump.clusters.size() == 1) return dump.clusters.front();
    throw Error(fmt::format("it has the history of several clusters: choose one with --cluster: {}",
                            known));
  }
  if (std::ranges::find(dump.clusters, wanted) != dump.clusters.end()) return wanted;
  throw Error(fmt::format("it has no history of a cluster `{}`; it has: {}", wanted, known));
}

std::string import_statements(std::string text, const HistoryDump& dump, const std::string& from,
                              const std::string& to) {
  text += '\n';
  if (from == to) return text;
  const std::string prefix = from + "_";
  const auto is_of_another = [&](const std::string& table) {  // of a cluster `old_two`
    return std::ranges::any_of(dump.clusters, [&](const std::string& cluster) {
      return cluster.size() > from.size() && table.starts_with(cluster + "_");
    });
  };
  for (const std::string& table : dump.tables) {
    if (!table.starts_with(prefix) || is_of_another(table)) continue;
    text += fmt::format("RENAME TABLE `{}` TO `{}_{}`;\n", table, to, table.substr(prefix.size()));
  }
  // slurmdbd compares the tables that it knows with what it last made of them.
  text += fmt::format(
      "UPDATE table_defs_table SET table_name = concat('{0}_', substr(table_name, {1})) WHERE "
      "substr(table_name, 1, {2}) = '{3}';\n",
      to, prefix.size() + 1, prefix.size(), prefix);
  for (const auto& [table, column] :
       {std::pair("cluster_table", "name"), std::pair("clus_res_table", "cluster"),
        std::pair("txn_table", "cluster")}) {
    if (std::ranges::find(dump.tables, table) == dump.tables.end()) continue;
    text += fmt::format("UPDATE {0} SET {1} = '{2}' WHERE {1} = '{3}';\n", table, column, to, from);
  }
  return text;
}

}  // namespace slipway::node
