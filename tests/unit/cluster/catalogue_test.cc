#include "launcher/cluster/catalogue.h"

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

// A catalogue of two files, and what was said about them.
struct Reading {
  Reading(const std::string& machines, const std::string& transports) {
    slipway::write_file(folder / "machines.yaml", machines);
    slipway::write_file(folder / "transports.yaml", transports);
    catalogue = load_catalogue(folder.path(), sources, diagnostics);
  }
  // Without the name of the temporary folder.
  std::string said() const {
    std::string text = render(diagnostics);
    const std::string prefix = folder.path().string() + "/";
    for (size_t at = text.find(prefix); at != text.npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }

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

TEST_CASE("catalogue: a3-megagpu-8g is what its vendor says") {
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
    for (const MachineType::Nic& nic : machine.nics) CHECK(nic.name.size() < 16);  // IFNAMSIZ
  }
}

TEST_CASE("catalogue: a name in it that ends in the number of vCPUs has that many") {
  const Catalogue catalogue = shipped_catalogue();
  for (const std::string& name : catalogue.machine_types()) {
    INFO(name);
    if (name.find("-standard-") == name.npos) continue;
    CHECK(std::to_string(catalogue.machine(name).cpus()) == name.substr(name.rfind('-') + 1));
  }
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

TEST_CASE("catalogue: a small one is read") {
  Reading reading(good_machine, good_transports);
  CHECK(reading.said().empty());
  CHECK(reading.catalogue.machine("small-1").cpus() == 4);
  CHECK(reading.catalogue.machine("small-1").gpu_count == 0);
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

TEST_CASE("catalogue: a count that is no count is shown") {
  Reading reading(replaced(good_machine, "gib: 4,", "gib: 0.5,"), good_transports);
  CHECK(reading.said() ==
        "error[E0902]: `gib` of `memory` of machine type `small-1` is `0.5`, expected a whole "
        "number above 0\n"
        " --> machines.yaml:5:19\n"
        "  |\n"
        "5 |     memory: {gib: 0.5, source: docs}\n"
        "  |                   ^^^\n");
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

TEST_CASE("catalogue: a substitution that nobody knows is pointed at") {
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
      "  = help: a value may hold $(host_nics) and $(gpu_nics)\n");
}

TEST_CASE("catalogue: files of the wrong shape are diagnostics, not crashes") {
  for (const std::string text :
       {"", "[]", "machines: 3\nsources: []\n", "sources: {}\nmachines: {a: }\n",
        "sources: {d: e}\nmachines: {a: {cpus: [], memory: 1, host: ~, gpus: {}, transport: []}}\n",
        "sources: {d: e}\nmachines: {a: {host: {names: [[]], mtu_bytes: x, source: {}}}}\n"}) {
    INFO(text);
    Reading reading(text, good_transports);
    CHECK(reading.diagnostics.errors() > 0);
    CHECK(reading.catalogue.machine_types().empty());
  }
}
