#include "launcher/cluster/catalogue.h"

#include <set>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::cluster;

namespace {

const std::string good_transports =
    "sources: {docs: somewhere}\n"
    "transports:\n"
    "  socket: {about: TCP, environment: []}\n";

const std::string good_machine =
    "sources: {docs: somewhere}\n"
    "machines:\n"
    "  small-1:\n"
    "    cpus: {sockets: 1, cores_per_socket: 2, threads_per_core: 2, source: docs}\n"
    "    memory: {gib: 4, source: docs}\n"
    "    host: {names: [ens4], mtu_bytes: 1460, source: docs}\n"
    "    transport: {name: socket, source: docs}\n";

// Two machine types with 2 and 4 vCPUs, and two with 8 and 16.
const std::string good_series =
    "series:\n"
    "  big:\n"
    "    gpus: {count: {2: 1, 4: 1, 8: 2, 16: 4}, model: fast, source: docs}\n"
    "    cpus: {threads_per_core: 2, two_sockets_above: 8, source: docs}\n"
    "    memory:\n"
    "      gib: {big-*: {2: 7.5, 4: 15}, big-*-disk: {8: 32, 16: 64}}\n"
    "      source: docs\n"
    "    host: {names: [ens4], mtu_bytes: 1460, source: docs}\n"
    "    transport: {name: socket, source: docs}\n";

// A catalogue of two files, and the diagnostics for them.
struct Reading {
  Reading(const std::string& machines, const std::string& transports) {
    slipway::write_file(folder / "machines.yaml", machines);
    slipway::write_file(folder / "transports.yaml", transports);
    catalogue = load_catalogue(folder.path(), sources, diagnostics);
  }
  std::string said() const { return folder.relative(render(diagnostics)); }

  TemporaryDirectory folder;
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics{sources};
  Catalogue catalogue;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("catalogue: a3-megagpu-8g matches its vendor's specification") {
  const Catalogue catalogue = shipped_catalogue();
  const MachineType& machine = catalogue.machine("a3-megagpu-8g");
  CHECK(machine.gpu_count == 8);
  CHECK(machine.gpu_model == "nvidia-h100-mega-80gb");
  CHECK(machine.cpus() == 208);
  CHECK(machine.memory_mib == 1872 * 1024);
  CHECK(machine.transport == "tcpxo");
  REQUIRE(machine.nics.size() == 9);
  CHECK(machine.nics[0].name == "enp0s12");
  CHECK(machine.nics[0].purpose == "host");
  CHECK(machine.nics[1].name == "enp6s0");
  CHECK(machine.nics[8].name == "enp142s0");
  CHECK(machine.nics[8].purpose == "gpu");
  CHECK(machine.nics[8].mtu_bytes == 8244);
}

TEST_CASE("catalogue: every machine type has CPUs, memory, an interface and a known transport") {
  const Catalogue catalogue = shipped_catalogue();
  for (const std::string& name : catalogue.machine_types()) {
    INFO(name);
    const MachineType& machine = catalogue.machine(name);
    CHECK(machine.cpus() > 0);
    CHECK(machine.memory_mib > 0);
    CHECK(machine.nics.front().purpose == "host");
    CHECK(catalogue.find_transport(machine.transport) != nullptr);
    CHECK((machine.gpu_count > 0) == !machine.gpu_model.empty());
    std::set<std::string> nics;
    int64_t gpu_nics = 0;
    for (const MachineType::Nic& nic : machine.nics) {
      CHECK(nic.name.size() < 16);  // IFNAMSIZ
      CHECK(nics.insert(nic.name).second);
      if (nic.purpose == "gpu") ++gpu_nics;
    }
    // Each GPU interface serves the same number of GPUs, or each GPU has the same number of
    // interfaces.
    const bool even =
        gpu_nics == 0 || (machine.gpu_count > 0 &&
                          (machine.gpu_count % gpu_nics == 0 || gpu_nics % machine.gpu_count == 0));
    CHECK(even);
    CHECK((machine.transport != "socket") == (gpu_nics > 0));
  }
}

TEST_CASE("catalogue: a name with a number of vCPUs has that many") {
  const Catalogue catalogue = shipped_catalogue();
  for (const std::string& name : catalogue.machine_types()) {
    INFO(name);
    for (const std::string_view kind : {"-standard-", "-highmem-", "-highcpu-"}) {
      const size_t at = name.find(kind);
      if (at == name.npos) continue;
      const std::string size = name.substr(at + kind.size());
      const size_t end = std::min(size.find('-'), size.size());
      if (size[end - 1] == 't') continue;  // a number of TPU chips
      CHECK(catalogue.machine(name).cpus() == std::stol(size.substr(0, end)));
    }
  }
}

TEST_CASE("catalogue: CPUs are counted as the vendor's Slurm scripts count them") {
  const Catalogue catalogue = shipped_catalogue();
  const auto shape = [&](std::string_view name) {
    const MachineType& machine = catalogue.machine(name);
    return std::vector<int64_t>{machine.sockets, machine.cores_per_socket, machine.threads_per_core,
                                machine.memory_mib};
  };
  using Shape = std::vector<int64_t>;
  CHECK(shape("n1-standard-1") == Shape{1, 1, 1, 3840});
  CHECK(shape("n1-standard-4") == Shape{1, 2, 2, 15 * 1024});
  CHECK(shape("n1-highcpu-2") == Shape{1, 1, 2, 1843});
  CHECK(shape("n1-highcpu-16") == Shape{1, 8, 2, 14746});
  CHECK(shape("c2-standard-30") == Shape{1, 15, 2, 120 * 1024});
  CHECK(shape("c2-standard-60") == Shape{2, 15, 2, 240 * 1024});
  CHECK(shape("c2d-standard-56") == Shape{1, 28, 2, 224 * 1024});
  CHECK(shape("c2d-standard-112") == Shape{2, 28, 2, 448 * 1024});
  CHECK(shape("c3d-standard-360-lssd") == Shape{2, 90, 2, 1440 * 1024});
  CHECK(shape("t2d-standard-60") == Shape{1, 60, 1, 240 * 1024});
  CHECK(shape("h3-standard-88") == Shape{2, 44, 1, 352 * 1024});
  CHECK(shape("h4d-highmem-192-lssd") == Shape{2, 96, 1, 1488 * 1024});
  CHECK(shape("a2-highgpu-1g") == Shape{1, 6, 2, 85 * 1024});
  CHECK(shape("g4-standard-12") == Shape{1, 6, 2, 45 * 1024});
}

TEST_CASE("catalogue: GPUs of a series are counted by size") {
  const Catalogue catalogue = shipped_catalogue();
  CHECK(catalogue.machine("g2-standard-24").gpu_count == 2);
  CHECK(catalogue.machine("g2-standard-32").gpu_count == 1);
  CHECK(catalogue.machine("g2-standard-96").gpu_count == 8);
  CHECK(catalogue.machine("g2-standard-96").gpu_model == "nvidia-l4");
  CHECK(catalogue.machine("g2-standard-96").transport == "socket");
}

TEST_CASE("catalogue: every machine's transport has rules, and one that needs a plugin names it") {
  const Catalogue& catalogue = shipped_catalogue();
  std::set<std::string> used;
  for (const std::string& name : catalogue.machine_types()) {
    used.insert(catalogue.machine(name).transport);
  }
  CHECK(used == std::set<std::string>{"gib", "socket", "tcpx", "tcpxo"});
  for (const std::string& name : used) {
    const TransportType& transport = catalogue.transport(name);
    CAPTURE(name);
    CHECK_FALSE(transport.environment.empty());
    CHECK((name == "socket") == transport.node.libraries.names.empty());
    CHECK(transport.node.libraries.must_agree == (name != "socket"));
    for (const auto& fatal : transport.node.fatal) CHECK_FALSE(fatal.why.empty());
  }
}

TEST_CASE("catalogue: A3 Mega's daemon and versions match its plugin's release") {
  const Catalogue catalogue = shipped_catalogue();
  const slipway::NodeTransport& node = catalogue.transport("tcpxo").node;
  CHECK(node.vendor_profile.path == "/var/lib/tcpxo/lib64/nccl-env-profile.sh");
  CHECK(node.daemon.images.size() == 1);
  CHECK(node.daemon.deadline_seconds == 120);
  CHECK(node.version_sets.front().plugin == "1.0.17");
  CHECK(node.version_sets.front().nccl == "2.28.7");
  CHECK(node.limits.dev_shm_bytes == int64_t{1} << 30);
}

TEST_CASE("catalogue: transports are read only on request") {
  TemporaryDirectory folder;
  slipway::write_file(folder / "machines.yaml", good_machine);  // and no transports.yaml
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  const Catalogue catalogue =
      load_catalogue(folder.path(), sources, diagnostics, Transports::left_out);
  CHECK(diagnostics.errors() == 0);
  CHECK(catalogue.machine("small-1").transport == "socket");
}

TEST_CASE("catalogue: reports an error in a part of a transport at its place") {
  const Reading reading(good_machine,
                        "sources: {docs: somewhere}\n"
                        "transports:\n"
                        "  socket:\n"
                        "    about: TCP\n"
                        "    environment: []\n"
                        "    limits: {memlock_gib: 0, source: docs}\n"
                        "    fatal: [{nccl: 2.28, why: it crashes, source: docs}]\n");
  CHECK_THAT(reading.said(), ContainsSubstring("`memlock_gib` of `limits` of transport `socket`"));
  CHECK_THAT(reading.said(), ContainsSubstring("has an unknown key `nccl`"));
}

TEST_CASE("catalogue: an unknown machine type is an error with a suggestion") {
  const Catalogue catalogue = shipped_catalogue();
  CHECK(catalogue.find_machine("a3-megagpu-9g") == nullptr);
  CHECK_THROWS_WITH(
      catalogue.machine("a3-megagpu-9g"),
      "the catalogue has no machine type `a3-megagpu-9g`; did you mean `a3-megagpu-8g`?");
  CHECK_THROWS_WITH(catalogue.transport("smoke-signals"),
                    "the catalogue has no transport `smoke-signals`");
}

TEST_CASE("catalogue: reads a small one") {
  Reading reading(good_machine, good_transports);
  CHECK(reading.said().empty());
  CHECK(reading.catalogue.machine("small-1").cpus() == 4);
  CHECK(reading.catalogue.machine("small-1").gpu_count == 0);
}

TEST_CASE("catalogue: a series is a machine type for each size") {
  Reading reading(good_machine + good_series, good_transports);
  CHECK(reading.said().empty());
  CHECK(reading.catalogue.machine_types() ==
        std::vector<std::string>{"big-16-disk", "big-2", "big-4", "big-8-disk", "small-1"});
  const MachineType& machine = reading.catalogue.machine("big-16-disk");
  CHECK(machine.name == "big-16-disk");
  CHECK(machine.sockets == 2);
  CHECK(machine.cores_per_socket == 4);
  CHECK(machine.threads_per_core == 2);
  CHECK(machine.memory_mib == 64 * 1024);
  CHECK(machine.gpu_count == 4);
  CHECK(machine.gpu_model == "fast");
  CHECK(machine.nics.size() == 1);
  CHECK(machine.transport == "socket");
  CHECK(reading.catalogue.machine("big-8-disk").sockets == 1);
  CHECK(reading.catalogue.machine("big-2").memory_mib == 7680);
}

TEST_CASE("catalogue: points at a size without whole cores, and leaves it out") {
  Reading reading(good_machine + replaced(good_series, "{2: 7.5, 4: 15}", "{2: 7.5, 4: 15, 5: 20}"),
                  good_transports);
  CHECK(reading.said() ==
        "error[E0902]: the vCPUs of `big-5` do not divide into whole cores: 2 threads per core\n"
        "  --> machines.yaml:13:36\n"
        "   |\n"
        "13 |       gib: {big-*: {2: 7.5, 4: 15, 5: 20}, big-*-disk: {8: 32, 16: 64}}\n"
        "   |                                    ^\n");
  CHECK(reading.catalogue.find_machine("big-5") == nullptr);
  CHECK(reading.catalogue.find_machine("big-4") != nullptr);
}

TEST_CASE("catalogue: reports an error in a series once, at its place") {
  const auto said = [](const std::string& from, const std::string& to) {
    Reading reading(good_machine + replaced(good_series, from, to), good_transports);
    CHECK(reading.diagnostics.errors() == 1);
    const std::string text = reading.said();
    return text.substr(0, text.find('\n'));
  };
  CHECK(said("big-*:", "big-:") == "error[E0902]: `big-` does not have one `*`");
  CHECK(said("big-*:", "big-*-*:") == "error[E0902]: `big-*-*` does not have one `*`");
  CHECK(said("big-*-disk: {8:", "big-*-disk: {08:") ==
        "error[E0902]: `08` is not a number of vCPUs");
  CHECK(said("4: 15}", "4: 0}") ==
        "error[E0902]: `4` of `big-*` is `0`, expected a number above 0");
  CHECK(said("16: 4}", "16: 4, 32: 8}") ==
        "error[E0902]: `count` of machine series `big` has an unknown key `32`");
  CHECK(said("8: 2, 16: 4", "8: 2") == "error[E0902]: `count` of machine series `big` has no `16`");
  CHECK(said("threads_per_core: 2", "threads_per_core: 0") ==
        "error[E0902]: `threads_per_core` of `cpus` of machine series `big` is `0`, expected a "
        "whole number above 0");
}

TEST_CASE("catalogue: a series and a row cannot be the same machine type") {
  Reading reading(replaced(good_machine, "small-1", "big-2") + good_series, good_transports);
  CHECK_THAT(reading.said(), ContainsSubstring("there are two machine types `big-2`\n"
                                               "  --> machines.yaml:13:21\n"));
  CHECK(reading.diagnostics.errors() == 1);
  CHECK(reading.catalogue.machine("big-2").gpu_count == 0);
}

TEST_CASE("catalogue: a missing file is an error with its path") {
  TemporaryDirectory folder;
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  CHECK_THROWS_WITH(
      load_catalogue(folder.path(), sources, diagnostics),
      "cannot read " + (folder / "transports.yaml").string() + ": No such file or directory");
}

TEST_CASE("catalogue: a figure without a listed source is refused, and the row is left out") {
  Reading reading(replaced(good_machine, "gib: 4, source: docs", "gib: 4, source: dosc"),
                  good_transports);
  CHECK(reading.said() ==
        "error[E0902]: `source` of `memory` of machine type `small-1` is `dosc`, which is not "
        "listed\n"
        " --> machines.yaml:5:30\n"
        "  |\n"
        "5 |     memory: {gib: 4, source: dosc}\n"
        "  |                              ^^^^\n"
        "  = help: did you mean `docs`?\n");
  CHECK(reading.catalogue.find_machine("small-1") == nullptr);
}

TEST_CASE("catalogue: shows an invalid count") {
  Reading reading(replaced(good_machine, "sockets: 1,", "sockets: 0.5,"), good_transports);
  CHECK(reading.said() ==
        "error[E0902]: `sockets` of `cpus` of machine type `small-1` is `0.5`, expected a whole "
        "number above 0\n"
        " --> machines.yaml:4:21\n"
        "  |\n"
        "4 |     cpus: {sockets: 0.5, cores_per_socket: 2, threads_per_core: 2, source: docs}\n"
        "  |                     ^^^\n");
}

TEST_CASE("catalogue: memory can be a fraction of a GiB, but not zero") {
  Reading reading(replaced(good_machine, "gib: 4,", "gib: 3.75,"), good_transports);
  CHECK(reading.said().empty());
  CHECK(reading.catalogue.machine("small-1").memory_mib == 3840);
  for (const std::string gib : {"0", "-1", "1e300", "nan", "much"}) {
    INFO(gib);
    Reading wrong(replaced(good_machine, "gib: 4,", "gib: " + gib + ","), good_transports);
    CHECK_THAT(wrong.said(), ContainsSubstring("expected a number above 0"));
    CHECK(wrong.catalogue.machine_types().empty());
  }
}

TEST_CASE("catalogue: a missing key and an unknown one are both shown") {
  Reading reading(replaced(good_machine, "    memory:", "    memmory:"), good_transports);
  CHECK(reading.diagnostics.errors() == 2);
  CHECK_THAT(reading.said(), ContainsSubstring("machine type `small-1` has no `memory`\n"));
  CHECK_THAT(reading.said(),
             ContainsSubstring("machine type `small-1` has an unknown key `memmory`\n"
                               " --> machines.yaml:5:5\n"
                               "  |\n"
                               "5 |     memmory: {gib: 4, source: docs}\n"
                               "  |     ^^^^^^^\n"
                               "  = help: did you mean `memory`?\n"));
}

TEST_CASE("catalogue: a machine's transport must be a row") {
  Reading reading(replaced(good_machine, "name: socket", "name: sokcet"), good_transports);
  CHECK_THAT(reading.said(), ContainsSubstring("`name` of `transport` of machine type `small-1` is "
                                               "`sokcet`, which is not listed\n"));
}

TEST_CASE("catalogue: points at an unknown substitution") {
  Reading reading(
      good_machine,
      replaced(good_transports, "[]", "[{name: A, value: '=$(host_nisc)', why: b, source: docs}]"));
  CHECK(
      reading.said() ==
      "error[E0902]: `$(host_nisc)` is not known here\n"
      " --> transports.yaml:3:57\n"
      "  |\n"
      "3 |   socket: {about: TCP, environment: [{name: A, value: '=$(host_nisc)', why: b, source: "
      "docs}]}\n"
      "  |                                                         ^^^^^^^^^^^^\n"
      "  = help: a value may contain $(host_nics), $(gpu_nics) and $(rdma_devices)\n");
}

TEST_CASE("catalogue: files of the wrong shape are diagnostics, not crashes") {
  for (const std::string text :
       {"", "[]", "machines: 3\nsources: []\n", "sources: {}\nmachines: {a: }\n",
        "sources: {d: e}\nmachines: {a: {cpus: [], memory: 1, host: ~, gpus: {}, transport: []}}\n",
        "sources: {d: e}\nmachines: {a: {host: {names: [[]], mtu_bytes: x, source: {}}}}\n",
        "sources: {d: e}\nmachines: {}\nseries: []\n",
        "sources: {d: e}\nmachines: {}\nseries: {a: {memory: {gib: 3}, cpus: ~, gpus: {count: "
        "[]}}}\n",
        "sources: {d: e}\nmachines: {}\nseries: {a: {memory: {gib: {a-*: 3, '*': {}, b: "
        "{}}}}}\n"}) {
    INFO(text);
    Reading reading(text, good_transports);
    CHECK(reading.diagnostics.errors() > 0);
    CHECK(reading.catalogue.machine_types().empty());
  }
}
