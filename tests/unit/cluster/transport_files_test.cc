#include "launcher/cluster/transport_files.h"

#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway::cluster;

TEST_CASE("transport files: a simulated machine with gIB has the script that its jobs read") {
  const auto files =
      transport_files(shipped_catalogue().machine("a3-ultragpu-8g"), shipped_catalogue());
  REQUIRE(files.size() == 2);
  CHECK(files.at("/usr/local/gib/lib64/README") ==
        "This node is simulated: it has no libnccl-net.so.\n");
  const std::string script = files.at("/usr/local/gib/scripts/set_nccl_env.sh");
  CHECK_THAT(script, ContainsSubstring("\nexport NCCL_NET=gIB\n") &&
                         ContainsSubstring("\nexport NCCL_IB_TC=52\n"));
  // Recipes set it themselves, before they read the script.
  CHECK_THAT(script, !ContainsSubstring("NCCL_SOCKET_IFNAME"));
}

TEST_CASE("transport files: names of interfaces are those of the machine type") {
  const auto files =
      transport_files(shipped_catalogue().machine("a3-megagpu-8g"), shipped_catalogue());
  CHECK_THAT(files.at("/var/lib/tcpxo/lib64/nccl-env-profile.sh"),
             ContainsSubstring("\nexport NCCL_FASTRAK_CTRL_DEV=enp0s12\n") &&
                 ContainsSubstring("\nexport NCCL_FASTRAK_IFNAME=enp6s0,enp7s0,"));
}

TEST_CASE("transport files: a machine whose transport has no profile gets none") {
  for (const char* type : {"a3-highgpu-8g", "n2-standard-4"})
    CHECK(transport_files(shipped_catalogue().machine(type), shipped_catalogue()).empty());
}
