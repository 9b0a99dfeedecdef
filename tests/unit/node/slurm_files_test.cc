#include "launcher/node/slurm_files.h"

#include <map>
#include <string>

#include "tests/unit/catch.h"

using namespace slipway::node;
using slipway::SlurmVersion;

namespace {

constexpr const char* written =
    "TreeWidth=128\n\n# A node that is made again has another address.\n"
    "CommunicationParameters=NoAddrCache\n\n# Without it, ranks are single.\nMpiDefault=pmix\n";

std::string suited(const std::string& text, const InstalledSlurm& slurm) {
  std::map<std::string, std::string> files = {{"slurm.conf", text}};
  suit_slurm_files(files, slurm);
  return files.at("slurm.conf");
}

}  // namespace

TEST_CASE("slurm files: a Slurm that still has NoAddrCache keeps it") {
  for (const SlurmVersion& version :
       {SlurmVersion{}, SlurmVersion{22, 5, 8}, SlurmVersion{23, 11}}) {
    CHECK(suited(written, {version}) == written);
  }
}

TEST_CASE("slurm files: a newer Slurm gets no option that it calls defunct") {
  const std::string without = "TreeWidth=128\n\n# Without it, ranks are single.\nMpiDefault=pmix\n";
  CHECK(suited(written, {{24, 11, 5}}) == without);
  CHECK(suited(without, {{24, 11, 5}}) == without);
  CHECK(suited("", {{26, 5, 5}}) == "");
  CHECK(suited("communicationparameters = EnableIPv6,noaddrcache # as ever\n", {{26, 5, 5}}) ==
        "CommunicationParameters=EnableIPv6\n");
  const std::string others = "CommunicationParameters=EnableIPv6\n# NoAddrCache was here.\n";
  CHECK(suited(others, {{26, 5, 5}}) == others);
}

TEST_CASE("slurm files: a Slurm without PMIx gets no setting that names it") {
  std::map<std::string, std::string> files = {
      {"slurm.conf", "MpiDefault=pmix\nMpiParams=ports=1-2\n"}, {"mpi.conf", "PMIxDebug=1\n"}};
  suit_slurm_files(files, {{26, 5, 5}, false});
  CHECK(files == std::map<std::string, std::string>{
                     {"slurm.conf",
                      "# MpiDefault=pmix is left out: this Slurm has no mpi_pmix.so.\n"
                      "MpiParams=ports=1-2\n"}});
  CHECK(suited("MpiDefault=pmi2\n", {{26, 5, 5}, false}) == "MpiDefault=pmi2\n");
}

TEST_CASE("slurm files: job_container.conf is made to suit it, too") {
  std::map<std::string, std::string> files = {{"job_container.conf", "BasePath=/jobs\n"}};
  suit_slurm_files(files, {{24, 11, 5}});
  CHECK(files.at("job_container.conf") == "BasePath=/jobs Dirs=/tmp,/var/tmp,/dev/shm\n");
}
