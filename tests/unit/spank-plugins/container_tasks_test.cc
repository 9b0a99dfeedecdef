// Tests of what the tasks of a step in a container get.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/fd.h"

#include "spank-plugins/container/ours.h"
#include "spank-plugins/container/outcome.h"
#include "spank-plugins/container/planning.h"
#include "spank-plugins/container/pmi.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::container;

TEST_CASE("container variables: steps of a job get different ports, the first one enroot's") {
  const auto port_of = [](const std::string& job, const std::string& step) {
    return task_variables(
               {{"PYTORCH_VERSION", "2"}, {"SLURM_JOB_ID", job}, {"SLURM_STEP_ID", step}})
        .at("MASTER_PORT");
  };
  CHECK(port_of("5000", "0") == "61464");
  std::set<std::string> ports;
  for (int step = 0; step < 4536; ++step) ports.insert(port_of("5000", std::to_string(step)));
  CHECK(ports.size() == 4536);
  CHECK(*ports.begin() == "61000");
  CHECK(*ports.rbegin() == "65535");
}

TEST_CASE("container variables: what a batch script hands on is not taken for the user's") {
  Environment task = {{"PYTORCH_VERSION", "2"}, {"SLURM_JOB_ID", "7"}, {"MASTER_ADDR", "mine"}};
  Environment inherited = task;
  const Environment ours = task_variables(task);
  for (const auto& [name, value] : ours) inherited[name] = value;
  inherited[ours_marker] = list_of_ours(ours);
  inherited["SLURM_STEP_ID"] = "1";
  const Environment step = task_variables(without_ours(inherited));
  inherited["SLURM_STEP_ID"] = "0";
  CHECK(step.at("MASTER_PORT") != ours.at("MASTER_PORT"));
  CHECK(task_variables(without_ours(inherited)).at("MASTER_PORT") != ours.at("MASTER_PORT"));
  CHECK_FALSE(step.contains("MASTER_ADDR"));
  inherited["MASTER_PORT"] = "29500";
  CHECK_FALSE(task_variables(without_ours(inherited)).contains("MASTER_PORT"));
}

TEST_CASE("container PMIx: the server's folder is beside the socket of Slurm's plugin") {
  const std::string line = "000: 00000002 00000000 00010000 0001 01 32249120 /var/spool/slurmd/";
  using Paths = std::vector<std::string>;
  CHECK(pmix_folders("Num RefCount\n" + line + "stepd.slurm.pmix.2.0\n", "2", "0") ==
        Paths{"/var/spool/slurmd/pmix.2.0"});
  CHECK(pmix_folders(line + "stepd.slurm.pmix.12.0\n", "2", "0").empty());
  CHECK(pmix_folders(line + "stepd.slurm.pmix.2.01\n", "2", "0").empty());
}

TEST_CASE("container PMIx: sockets of others with such names lead nowhere") {
  if (::geteuid() != 0) return;  // files of others
  const TemporaryDirectory node;
  for (const char* folder : {"spool/pmix.7.0", "others/pmix.7.0"})
    std::filesystem::create_directories(node / folder);
  REQUIRE(::chown((node / "others/pmix.7.0").c_str(), 1001, 1001) == 0);
  std::filesystem::create_directory_symlink("spool", node / "link");
  const slipway::Fd root(::open(node.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  CHECK(own_pmix_folder({"/none/pmix.7.0", "/others/pmix.7.0", "/link/pmix.7.0", "/spool/pmix.7.0"},
                        root.get()) == "/spool/pmix.7.0");
  // Slurm's own spool can be a link.
  CHECK(own_pmix_folder({"/others/pmix.7.0", "/link/pmix.7.0"}, root.get()) == "/link/pmix.7.0");
  CHECK(own_pmix_folder({"/others/pmix.7.0"}, root.get()).empty());
}

TEST_CASE("container PMIx: the tasks' folder is where the job wants it") {
  const auto places = [](Environment job) {
    job.insert({{"SLURM_JOB_ID", "7"},
                {"SLURM_STEP_ID", "0"},
                {"SLURM_JOB_UID", "5"},
                {"PMIX_SERVER_TMPDIR", "/spool/pmix.7.0"}});
    std::string all;
    for (const MountRequest& mount : pmi_mounts(job, AT_FDCWD)) all += mount.target + " ";
    return all;
  };
  CHECK(places({}) == "/spool/pmix.7.0 /tmp/spmix_appdir_5_7.0 /tmp/spmix_appdir_7.0 ");
  CHECK(places({{"SLURM_PMIX_TMPDIR", "/var/tmp"}, {"PMIX_SYSTEM_TMPDIR", "/tmp"}}) ==
        "/spool/pmix.7.0 /var/tmp/spmix_appdir_5_7.0 /var/tmp/spmix_appdir_7.0 ");
  CHECK(places({{"SLURM_MPI_TYPE", "pmi2"}}).empty());
}

TEST_CASE("container plan: tasks get what the image changed, and nothing else") {
  const EnvironmentChanges changes =
      changes_of({{"A", "1"}, {"B", "2"}, {"LANG", "C"}}, {{"A", "1"}, {"B", "3"}, {"C", "4"}});
  CHECK(changes == EnvironmentChanges{{"B", "3"}, {"C", "4"}, {"LANG", std::nullopt}});
  CHECK(without_kept(changes, {"C", "D"}, {{"C", "5"}, {"LANG", "C"}}) ==
        EnvironmentChanges{{"B", "3"}, {"LANG", std::nullopt}});
  CHECK(without_kept(changes, {"B"}, {{"C", "5"}}) == changes);
}

TEST_CASE("container outcome: what the maker of a container leaves reads back") {
  Outcome outcome;
  outcome.notes = {"a note", ""};
  outcome.keeper = 4711;
  outcome.namespaces = 0x20000;
  outcome.workdir = "/srv";
  outcome.folder = "/run/x";
  outcome.own = outcome.releases = true;
  outcome.changes = {{"SET", "a\n=b"}, {"GONE", std::nullopt}};
  const Outcome read = decode_outcome(encode(outcome));
  CHECK(read.error.empty());
  CHECK(read.notes == outcome.notes);
  CHECK(read.keeper == 4711);
  CHECK(read.namespaces == 0x20000);
  CHECK_FALSE(read.pretends_ids);
  CHECK(read.workdir == "/srv");
  CHECK(read.folder == "/run/x");
  CHECK(read.own);
  CHECK(read.releases);
  CHECK(read.changes == outcome.changes);
  CHECK_THROWS_WITH(decode_outcome("3:ab"), "the container's keeper sent an invalid message");
}
