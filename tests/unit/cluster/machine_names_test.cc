// Tests of machine types that are worked out from their names, with the shipped catalogue.
#include "launcher/cluster/machine_names.h"

#include <fmt/core.h>

#include <string>

#include "launcher/cluster/catalogue.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway::cluster;

TEST_CASE("catalogue: a custom machine type has the vCPUs and the memory of its name") {
  const Catalogue catalogue = shipped_catalogue();
  const MachineType& machine = catalogue.machine("n2-custom-6-20480");
  CHECK(machine.name == "n2-custom-6-20480");
  CHECK(machine.cpus() == 6);
  CHECK(machine.threads_per_core == 2);
  CHECK(machine.memory_mib == 20480);
  CHECK_FALSE(machine.assumed);
  CHECK(catalogue.machine("custom-1-1024").threads_per_core == 1);
  CHECK(catalogue.machine("n1-custom-2-4096").cpus() == 2);
  CHECK(catalogue.machine("n4a-custom-3-6144").threads_per_core == 1);
  CHECK(catalogue.machine("n2-custom-4-65536-ext").memory_mib == 65536);
  for (const int vcpus : {2, 4, 8, 16, 32, 48, 96}) {
    const std::string name = fmt::format("n2d-custom-{}-{}", vcpus, vcpus * 1024);
    CHECK(catalogue.machine(name).cpus() == vcpus);
  }
}

TEST_CASE("catalogue: says what is wrong with a custom machine type") {
  const Catalogue catalogue = shipped_catalogue();
  const auto why = [&](std::string_view name) {
    CHECK(catalogue.find_machine(name) == nullptr);
    return catalogue.why_no_machine(name);
  };
  CHECK(why("n2-custom-4-8100") == "its memory must be a multiple of 256 MiB, not 8100");
  CHECK(why("n2-custom-4-65536") ==
        "with 4 vCPUs its memory can be 2048 to 32768 MiB, not 65536; a name that ends in `-ext` "
        "may have more");
  CHECK(why("n2-custom-4-1024-ext") ==
        "with 4 vCPUs its memory can be 2048 to 32768 MiB, not 1024");
  CHECK(why("e2-custom-64-65536") == "it can have 2 to 32 vCPUs, not 64");
  CHECK(why("n2-custom-34-34816") == "it can have 32 or 36 vCPUs, not 34");
  CHECK(why("n2d-custom-6-6144") == "it can have 4 or 8 vCPUs, not 6");
  CHECK(why("n2d-custom-12-12288") == "it can have 8 or 16 vCPUs, not 12");
  CHECK(why("n2d-custom-24-24576") == "it can have 16 or 32 vCPUs, not 24");
  CHECK(why("n2-custom-5-5120") == "5 vCPUs are not whole cores");
  CHECK(why("n2-custom-4-8G") == "its name must be n2-custom-<vCPUs>-<MiB>");
  CHECK(why("n2-custom-04-8192") == "its name must be n2-custom-<vCPUs>-<MiB>");
  CHECK(why("n2-custon-4-8192").empty());  // a slip, and nothing else
}

TEST_CASE("catalogue: a machine type that is not listed has the vCPUs of its name") {
  const Catalogue catalogue = shipped_catalogue();
  for (const char* name :
       {"c5-standard-16", "c5d-highmem-16-lssd", "m5-ultramem-16", "q7-standard-16"}) {
    INFO(name);
    const MachineType& machine = catalogue.machine(name);
    CHECK(machine.assumed);
    CHECK(machine.name == name);
    CHECK(machine.cpus() == 16);
    CHECK(machine.memory_mib >= 16 * 1024);
    CHECK(machine.transport == "socket");
  }
  // Not more than any listed type of the class has.
  CHECK(catalogue.machine("c5-highmem-8").memory_mib <= 8 * 6656);
  // GPUs in place of vCPUs.
  CHECK(catalogue.machine("a5-gigagpu-16g").cpus() == 1);
}

TEST_CASE("catalogue: a machine type that is not listed can have any number of vCPUs") {
  const Catalogue catalogue = shipped_catalogue();
  for (const auto& [name, vcpus] : {std::pair("c5-standard-7", 7),
                                    {"q7-highcpu-361", 361},
                                    {"m5-standard-225-lssd", 225},
                                    {"c6-standard-1", 1}}) {
    INFO(name);
    const MachineType& machine = catalogue.machine(name);
    CHECK(machine.assumed);
    CHECK(machine.cpus() == vcpus);
  }
}

TEST_CASE("catalogue: a slip is not a machine type that is newer than the list") {
  const Catalogue catalogue = shipped_catalogue();
  for (const char* name :
       {"a3-megagpu-8", "a3-magagpu-8g", "a3-mgeagpu-8g", "c3-standard-9", "c33-standard-8",
        "n2-standard", "c2_standard-4", "standard-4", "", "-", "c5-", "c5--4", "5c-standard-4",
        "C5-standard-4", "a99-standard-4x/../..", "c1-standard-8"}) {
    INFO(name);
    CHECK(catalogue.find_machine(name) == nullptr);
  }
}
