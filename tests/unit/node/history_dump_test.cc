#include "launcher/node/history_dump.h"

#include "tests/unit/catch.h"

using namespace slipway::node;

namespace {

const std::string whole =
    "-- MariaDB dump 10.19\n"
    "CREATE TABLE `cluster_table` (\n  `name` tinytext\n);\n"
    "CREATE TABLE `old_job_table` (\n  `id_job` int\n);\n"
    "INSERT INTO `old_job_table` VALUES (1,'CREATE TABLE `evil_job_table` (');\n"
    "CREATE TABLE `old_step_table` (\n);\n"
    "CREATE TABLE `old_er_job_table` (\n);\n"
    "CREATE TABLE `user_table` (\n);\n"
    "-- Dump completed on 2026-11-28\n";

}  // namespace

TEST_CASE("history dump: its tables and clusters are known, whatever jobs are called") {
  const HistoryDump dump = read_history_dump(whole);
  CHECK(dump.clusters == std::vector<std::string>{"old", "old_er"});
  CHECK(dump.tables.size() == 5);
}

TEST_CASE("history dump: what is not a whole dump of Slurm's database is refused") {
  CHECK_THROWS_WITH(read_history_dump(""), ContainsSubstring("not a dump of Slurm's database"));
  CHECK_THROWS_WITH(
      read_history_dump("CREATE TABLE `cluster_table` (\nCREATE TABLE `user_table` (\n"),
      ContainsSubstring("not a dump of Slurm's database"));
  CHECK_THROWS_WITH(read_history_dump(whole.substr(0, whole.find("-- Dump completed"))),
                    "it is cut off: its last line is not `-- Dump completed`");
  CHECK_THROWS_WITH(read_history_dump("CREATE TABLE `a';drop_job_table` (\n" + whole),
                    "it has a table with the name `a';drop_job_table`");
}

TEST_CASE("history dump: one of several clusters must be chosen") {
  const HistoryDump dump = read_history_dump(whole);
  CHECK(choose_cluster(dump, "old_er") == "old_er");
  CHECK_THROWS_WITH(
      choose_cluster(dump, ""),
      "it has the history of several clusters: choose one with --cluster: old, old_er");
  CHECK_THROWS_WITH(choose_cluster(dump, "new"),
                    "it has no history of a cluster `new`; it has: old, old_er");
}

TEST_CASE("history dump: the tables of a cluster with another name are renamed, and no others") {
  const HistoryDump dump = read_history_dump(whole);
  CHECK(import_statements(whole, dump, "old", "old") == whole + "\n");
  const std::string added = import_statements(whole, dump, "old", "new").substr(whole.size());
  CHECK(added ==
        "\nRENAME TABLE `old_job_table` TO `new_job_table`;\n"
        "RENAME TABLE `old_step_table` TO `new_step_table`;\n"
        "UPDATE table_defs_table SET table_name = concat('new_', substr(table_name, 5)) WHERE "
        "substr(table_name, 1, 4) = 'old_';\n"
        "UPDATE cluster_table SET name = 'new' WHERE name = 'old';\n");
}
