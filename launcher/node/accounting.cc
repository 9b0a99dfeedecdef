// Starts job accounting on a controller.
#include "launcher/node/accounting.h"

#include <fmt/core.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/service.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* mariadbd = "/usr/sbin/mariadbd";
constexpr const char* run_folder = "/run/mysqld";
// Where clients look on newer systems, such as Debian's MariaDB 11.8.9-4: the path is compiled into
// libmariadb.
constexpr const char* newer_socket = "/run/mariadbd/mysqld.sock";
// Slurm's own user runs the database too: MariaDB's user comes with a package that starts its own
// server, which is not needed here.
constexpr const char* user = "slurm";

const fs::path tables = fs::path(database_folder) / "tables";

// Ignores the machine's /etc/mysql.
std::vector<std::string> mariadbd_with(const fs::path& folder, std::vector<std::string> more) {
  std::vector<std::string> argv = {mariadbd, "--no-defaults", "--datadir=" + folder.string(),
                                   // slurmdbd recommends gigabytes, but for sites with thousands of
                                   // jobs a day.
                                   "--innodb-log-file-size=16M", "--innodb-lock-wait-timeout=900",
                                   "--max-allowed-packet=16M",
                                   // On by default since MariaDB 11.6.2. slurmdbd would end when
                                   // two of its threads write the same row (its own
                                   // words, 26.05.5). "loose": older servers do not know it.
                                   "--loose-innodb-snapshot-isolation=OFF",
                                   // Containers may forbid it, and little is written.
                                   "--innodb-use-native-aio=0"};
  argv.insert(argv.end(), more.begin(), more.end());
  return argv;
}

// The common prefix of the SQL files that come with the server; MariaDB 11 renamed them.
std::string statements_of_server() {
  const std::string since_11 = "/usr/share/mariadb/mariadb_";
  return fs::exists(since_11 + "system_tables.sql") ? since_11 : "/usr/share/mysql/mysql_";
}

// Slurm's database, as slurmdbd.conf names it: `cluster::slurmdbd_conf` always does.
std::string storage_location(const std::string& slurmdbd_conf) {
  const std::string key = "\nStorageLoc=";
  const size_t at = slurmdbd_conf.find(key);
  if (at == std::string::npos) throw Error("slurmdbd.conf has no StorageLoc");
  const size_t from = at + key.size();
  return slurmdbd_conf.substr(from, slurmdbd_conf.find('\n', from) - from);
}

// Does what is needed of mariadb-install-db, which comes with the clients' package. Slurm's own
// database is created, too: slurmdbd would do it only after a failed connection, and then
// libmariadb 3.4.10 (of MariaDB 11.8.9) refuses every result on that connection. It forgets
// mysql_init's limit of columns when a connection fails: error 5027, "maximum allowed number of
// columns (=0)".
void make_database(const std::string& name) {
  if (fs::exists(tables)) return;
  const std::string sql = statements_of_server();
  std::string text =
      fmt::format("create database mysql;\nuse mysql;\nset @auth_root_socket = '{}';\n", user);
  for (const char* file :
       {"system_tables.sql", "performance_tables.sql", "system_tables_data.sql"}) {
    text += read_file(sql + file) + "\n";
  }
  text += fmt::format("create database {};\n", name);
  // Build it under another name: if this is interrupted, it starts over.
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

// With systemd: a unit of ours, because the database's own comes with a package that starts its own
// server. Lost at the end of the machine, like what it describes.
void write_unit(const Service& service) {
  if (!has_systemd()) return;
  const fs::path path = fs::path("/run/systemd/system") / service.unit;
  write_file(path, fmt::format("[Unit]\nDescription=Slipway: the database of Slurm's accounting\n"
                               "[Service]\nUser={}\nExecStart={}\nRestart=on-failure\n"
                               "StandardOutput=append:{}\nStandardError=inherit\n",
                               service.user, join(service.argv, " "), service.log));
  run_checked({"/bin/systemctl", "daemon-reload"});
}

// slurmdbd.conf has no setting for the path.
void link_socket_for_newer_clients() {
  const fs::path link = newer_socket;
  if (fs::exists(fs::symlink_status(link))) return;
  make_folder_for("root", link.parent_path(), 0755);
  fs::create_symlink(database_socket, link);
}

void start_database() {
  Service service;
  service.argv =
      mariadbd_with(tables, {"--skip-networking", fmt::format("--socket={}", database_socket),
                             fmt::format("--pid-file={}/mariadbd.pid", run_folder),
                             // Written data survives the end of the process but not a crash of the
                             // machine, which ends the cluster as well.
                             "--innodb-flush-log-at-trx-commit=2"});
  service.user = user;
  service.log = fmt::format("{}/mariadbd.log", log_folder);
  service.unit = "slipway-database.service";
  write_unit(service);
  run_service(
      service, [] { return listens(database_socket); }, IfRunning::keep, 60s);
}

}  // namespace

fs::path database_tables() {
  return tables;
}

void replace_database(const std::string& statements) {
  const std::string name = storage_location(read_file(slurmdbd_conf_path));
  ProcessOptions options;
  options.input =
      fmt::format("drop database {0};\ncreate database {0};\nuse {0};\n{1}", name, statements);
  options.deadline = 60min;
  const ProcessResult result = run_process(
      mariadbd_with(tables, {fmt::format("--user={}", user), "--bootstrap", "--log-warnings=0"}),
      options);
  if (result.ok()) return;
  // Among the notes on its start.
  std::vector<std::string> errors = split(trim(result.errors), '\n');
  std::erase_if(errors, [](const std::string& line) { return !line.starts_with("ERROR"); });
  throw Error(fmt::format("the database does not take it: {}",
                          errors.empty() ? last_lines_of(result.errors, 3) : join(errors, "; ")));
}

void keep_database_with_state() {
  const fs::path kept = fs::path(slurmctld_state) / "accounting";
  // The folder above belongs to Slurm's user, who must not choose what we give away.
  if (fs::is_symlink(kept)) throw Error(fmt::format("{} is a symbolic link", kept.string()));
  make_folder_for(user, kept, 0700);
  make_folder_for(user, database_folder, 0700);
  if (fs::equivalent(kept, database_folder)) return;
  run_checked({"/bin/mount", "--bind", kept.string(), database_folder});
}

void start_accounting(const std::string& slurmdbd_conf, IfRunning running) {
  make_folder_for(user, run_folder, 0755);
  make_folder_for(user, database_folder, 0700);
  link_socket_for_newer_clients();
  make_database(storage_location(slurmdbd_conf));
  start_database();
  start_slurmdbd(slurmdbd_conf, running);
}

void write_slurmdbd_conf(const std::string& slurmdbd_conf) {
  make_folder_for(user, fs::path(slurmdbd_conf_path).parent_path().c_str(), 0755);
  write_file(slurmdbd_conf_path, slurmdbd_conf, 0600);
  give_to(user, slurmdbd_conf_path);
}

bool slurmdbd_runs() {
  const fs::path file = "/run/slurmdbd.pid";
  if (!fs::exists(file)) return false;
  const fs::path comm = fmt::format("/proc/{}/comm", trim(read_file(file)));
  return fs::exists(comm) && trim(read_file(comm)) == "slurmdbd";
}

void start_slurmdbd(const std::string& slurmdbd_conf, IfRunning running, bool waits) {
  write_slurmdbd_conf(slurmdbd_conf);
  const Service service{{"/usr/sbin/slurmdbd", "-D"},
                        "root",
                        fmt::format("{}/slurmdbd.out", log_folder),
                        "slurmdbd.service"};
  run_service(
      service, [&] { return waits ? slurmdbd_runs() : listens(slurmdbd_port); }, running,
      waits ? 0s : 60s);
}

}  // namespace slipway::node
