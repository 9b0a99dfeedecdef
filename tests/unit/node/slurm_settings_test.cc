// Tests how slurm.conf is made to suit the Slurm of a machine.
#include "launcher/node/slurm_settings.h"

#include <string>

#include "tests/unit/catch.h"

using namespace slipway::node;
using slipway::SlurmVersion;

namespace {

constexpr const char* text =
    "TreeWidth=128\n\n# A node that is made again has another address.\n"
    "CommunicationParameters=NoAddrCache\n\nSuspendTime=300\n";

}  // namespace

TEST_CASE("slurm settings: a Slurm that still has NoAddrCache keeps it") {
  for (const SlurmVersion& version :
       {SlurmVersion{}, SlurmVersion{22, 5, 8}, SlurmVersion{23, 11}}) {
    CHECK(slurm_conf_for(text, version) == text);
  }
}

TEST_CASE("slurm settings: a newer Slurm gets no line that it calls defunct") {
  const std::string without = "TreeWidth=128\n\nSuspendTime=300\n";
  CHECK(slurm_conf_for(text, {24, 11, 5}) == without);
  CHECK(slurm_conf_for(without, {24, 11, 5}) == without);
  CHECK(slurm_conf_for("", {26, 5, 5}) == "");
}

TEST_CASE("slurm settings: the other options of the line stay, and other lines with them") {
  const SlurmVersion version = {26, 5, 5};
  CHECK(slurm_conf_for("communicationparameters = EnableIPv6,noaddrcache # as ever\n", version) ==
        "CommunicationParameters=EnableIPv6\n");
  const std::string others = "CommunicationParameters=EnableIPv6\n# NoAddrCache was here.\n";
  CHECK(slurm_conf_for(others, version) == others);
}
