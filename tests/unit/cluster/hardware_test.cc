#include "launcher/cluster/hardware.h"

#include "launcher/cluster/slurm_nodes.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway::cluster;

namespace {

// What the guest of a machine has, from what is sold: a vCPU is a thread, and with one thread per
// core each core of a type with two has one vCPU.
struct Guest {
  int64_t cpus, cores;
};

Guest guest_of(const MachineType& machine, int64_t threads, int64_t visible_cores) {
  const int64_t cores =
      visible_cores > 0 ? visible_cores : machine.cpus() / machine.threads_per_core;
  const int64_t each = threads > 0 ? threads : machine.threads_per_core;
  return {cores * each, cores};
}

Nodeset nodeset_with(const std::string& machine_type, int64_t threads, int64_t visible_cores) {
  Nodeset nodeset{"n", "n", {machine_type, {"network"}, {}}, 1, 0, {}};
  nodeset.machine.threads_per_core = threads;
  nodeset.machine.visible_core_count = visible_cores;
  return nodeset;
}

// The node's line in slurm.conf as slurmd on the guest would report it, or what differs.
void check_line(const Catalogue& catalogue, const std::string& name, int64_t threads,
                int64_t visible_cores) {
  const MachineType& machine = catalogue.machine(name);
  const Nodeset nodeset = nodeset_with(name, threads, visible_cores);
  if (!hardware_problem(machine, nodeset.machine).empty()) return;
  const Guest guest = guest_of(machine, threads, visible_cores);
  const SlurmLine line =
      nodeset_lines(quickstart_cluster(), nodeset, catalogue, google_slurm_site()).node;
  INFO(name << " threads_per_core " << threads << " visible_core_count " << visible_cores);
  const int64_t sockets = line.number("Boards", 0) * line.number("SocketsPerBoard", 0);
  CHECK(line.number("CPUs", 0) == guest.cpus);
  CHECK(sockets * line.number("CoresPerSocket", 0) == guest.cores);
  CHECK(line.number("ThreadsPerCore", 0) * guest.cores == guest.cpus);
  // Slurm registers a node with less memory than its line as invalid.
  CHECK(line.number("RealMemory", 0) < machine.memory_mib);
}

}  // namespace

TEST_CASE("hardware: every machine type's line is what a machine reports, for all its threads") {
  const Catalogue catalogue = shipped_catalogue();
  for (const std::string& name : catalogue.machine_types()) {
    const MachineType& machine = catalogue.machine(name);
    const int64_t cores = machine.sockets * machine.cores_per_socket;
    for (const int64_t threads : {0, 1, 2}) {
      for (const int64_t visible : {int64_t{0}, int64_t{1}, cores / 2, cores - 1, cores}) {
        check_line(catalogue, name, threads, visible);
      }
    }
  }
}

TEST_CASE("hardware: one thread per core halves the CPUs of a machine with two") {
  const Catalogue catalogue = shipped_catalogue();
  const auto text = [&](const Nodeset& nodeset) {
    return nodeset_lines(quickstart_cluster(), nodeset, catalogue, google_slurm_site()).node.text();
  };
  CHECK_THAT(text(nodeset_with("c2-standard-60", 1, 0)),
             ContainsSubstring("CoresPerSocket=15 ThreadsPerCore=1 CPUs=30"));
  CHECK_THAT(text(nodeset_with("c2-standard-60", 0, 0)),
             ContainsSubstring("CoresPerSocket=15 ThreadsPerCore=2 CPUs=60"));
  CHECK_THAT(text(nodeset_with("c2-standard-60", 2, 7)),
             ContainsSubstring("SocketsPerBoard=1 CoresPerSocket=7 ThreadsPerCore=2 CPUs=14"));
}

TEST_CASE("hardware: memory per CPU follows the threads") {
  Cluster cluster = quickstart_cluster();
  const Catalogue catalogue = shipped_catalogue();
  const auto memory = [&](int64_t threads) {
    cluster.nodesets[0].machine.threads_per_core = threads;
    return nodeset_lines(cluster, cluster.nodesets[0], catalogue, google_slurm_site())
        .memory_per_cpu_mib;
  };
  CHECK(memory(2) == 8944);
  CHECK(memory(1) == 17888);
}

TEST_CASE("hardware: says what the cloud would refuse") {
  const Catalogue catalogue = shipped_catalogue();
  const auto problem = [&](const std::string& name, int64_t threads, int64_t visible) {
    return hardware_problem(catalogue.machine(name), nodeset_with(name, threads, visible).machine);
  };
  CHECK(problem("c2-standard-60", 2, 30).empty());
  CHECK(problem("h3-standard-88", 1, 0).empty());
  CHECK(problem("h3-standard-88", 2, 0) ==
        "`threads_per_core` is 2, but a core of a `h3-standard-88` has one thread");
  CHECK(problem("c2-standard-60", 1, 31) ==
        "`visible_core_count` is 31, but a `c2-standard-60` has only 30 cores");
}
