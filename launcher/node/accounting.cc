// Job accounting on a controller.
#include "launcher/node/accounting.h"

#include <fmt/format.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* mariadbd = "/usr/sbin/mariadbd";
constexpr const char* run_folder = "/run/mysqld";
// Slurm's own user runs the database, too: MariaDB's user belongs to a package that starts a server
// of its own, and is not needed here.
constexpr const char* user = "slurm";

const fs::path tables = fs::path(database_folder) / "tables";

// Nothing of the machine's own /etc/mysql is read.
std::vector<std::string> mariadbd_with(const fs::path& folder, std::vector<std::string> more) {
  std::vector<std::string> argv = {mariadbd, "--no-defaults", "--datadir=" + folder.string(),
                                   // slurmdbd recommends gigabytes, which are for sites with
                                   // thousands of jobs a day.
                                   "--innodb-log-file-size=16M", "--innodb-lock-wait-timeout=900",
                                   "--max-allowed-packet=16M",
                                   // Containers may forbid it, and there is little to write.
                                   "--innodb-use-native-aio=0"};
  argv.insert(argv.end(), more.begin(), more.end());
  return argv;
}

// What the names of the SQL files that come with the server begin with: MariaDB 11 calls them by
// its own name.
std::string statements_of_server() {
  const std::string since_11 = "/usr/share/mariadb/mariadb_";
  return fs::exists(since_11 + "system_tables.sql") ? since_11 : "/usr/share/mysql/mysql_";
}

// What mariadb-install-db does, without what is not needed: that program belongs to the clients.
void make_database() {
  if (fs::exists(tables)) return;
  const std::string sql = statements_of_server();
  std::string text =
      fmt::format("create database mysql;\nuse mysql;\nset @auth_root_socket = '{}';\n", user);
  for (const char* name :
       {"system_tables.sql", "performance_tables.sql", "system_tables_data.sql"}) {
    text += read_file(sql + name) + "\n";
  }
  // One that was interrupted is made again: it has its name when it is complete.
  const fs::path half = fs::path(database_folder) / "new";
  fs::remove_all(half);
  make_folder_for(user, half.c_str(), 0700);
  ProcessOptions options;
  options.input = std::move(text);
  options.deadline = 60s;
  run_checked(
      mariadbd_with(half, {fmt::format("--user={}", user), "--bootstrap", "--log-warnings=0"}),
      options);
  fs::rename(half, tables);
}

void start_database() {
  Service service;
  service.argv =
      mariadbd_with(tables, {"--skip-networking", fmt::format("--socket={}", database_socket),
                             fmt::format("--pid-file={}/mariadbd.pid", run_folder),
                             // What is written outlives the end of the process, if not that of the
                             // machine: with it the cluster ends as well.
                             "--innodb-flush-log-at-trx-commit=2"});
  service.user = user;
  service.log = fmt::format("{}/mariadbd.log", log_folder);
  service.unit = "mariadb.service";
  run_service(
      service, [] { return listens(database_socket); }, false, 60s);
}

}  // namespace

void start_accounting(const std::string& slurmdbd_conf) {
  make_folder_for(user, run_folder, 0755);
  make_folder_for(user, database_folder, 0700);
  make_database();
  start_database();

  make_folder_for(user, fs::path(slurmdbd_conf_path).parent_path().c_str(), 0755);
  write_file(slurmdbd_conf_path, slurmdbd_conf, 0600);
  give_to(user, slurmdbd_conf_path);
  const Service service{{"/usr/sbin/slurmdbd", "-D"},
                        "root",
                        fmt::format("{}/slurmdbd.out", log_folder),
                        "slurmdbd.service"};
  run_service(
      service, [] { return listens(slurmdbd_port); }, false, 60s);
}

}  // namespace slipway::node
