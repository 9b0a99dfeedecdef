// Tests of the facts gathered on a node, and of the findings about them.
#include "spank-plugins/nccl_env/preflight.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>

#include "common/fd.h"
#include "common/file.h"
#include "common/socket_probe.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::nccl_env;
using Texts = std::vector<std::string>;

namespace {

NodeProfile profile() {
  NodeProfile profile;
  profile.node = "n0";
  profile.network_interfaces = {{"enp0s12", "host", "net", "", 1460},
                                {"enp6s0", "gpu", "gpunet0", "", 8244},
                                {"enp7s0", "gpu", "gpunet1", "", 8244}};
  profile.transport.name = "tcpxo";
  profile.transport.libraries = {"/opt/lib", {"libnccl-net.so"}, true};
  profile.transport.daemon = {"rxdm", {}, {"/opt/rxdm"}, {}, "/run/rxdm.socket", "", 60};
  profile.transport.version_sets = {{"1.0.17", "1.0.23", "2.28.7"}};
  profile.transport.limits = {1 << 20, 1 << 30, "2.28"};
  return profile;
}

// A node without problems.
NodeFacts good() {
  NodeFacts facts;
  facts.interfaces = {{"enp0s12", {true, true, "0000:00:0c.0"}},
                      {"enp6s0", {true, true, "0000:06:00.0"}},
                      {"enp7s0", {true, true, "0000:07:00.0"}}};
  facts.dev_shm_bytes = uint64_t{64} << 30;
  facts.architecture = "x86_64";
  facts.stock = TransportStock{"tcpxo", "2.28.7", "1.0.17", "1.0.23", "x86_64", "aaaa", ""};
  return facts;
}

std::vector<Finding> found(const NodeFacts& facts, const NodeProfile& of = profile(),
                           const Environment& environment = {},
                           const PreflightJob& job = {true, ""}) {
  return judge(of, facts, environment, {{"NCCL_X", "1", "vendor", "", false}}, job);
}

Texts texts(const std::vector<Finding>& findings) {
  Texts texts;
  for (const Finding& finding : findings) texts.push_back(finding.text);
  return texts;
}

Texts said(const NodeFacts& facts) {
  return texts(found(facts));
}

std::vector<Finding> with_rule(const NodeTransport::Fatal& rule, const NodeFacts& facts,
                               const Environment& environment = {}) {
  NodeProfile of = profile();
  of.transport.fatal = {rule};
  return found(facts, of, environment);
}

}  // namespace

TEST_CASE("preflight: a node without problems has no findings") {
  CHECK(said(good()).empty());
}

TEST_CASE("preflight: missing libraries, interfaces and daemon are reported") {
  NodeFacts facts = good();
  facts.missing_libraries = {"/opt/lib/libnccl-net.so"};
  facts.interfaces["enp6s0"] = {};
  facts.interfaces["enp7s0"].up = false;
  facts.further_interfaces = {"enp9s0"};
  facts.daemon_answers = false;
  CHECK(said(facts) ==
        Texts{"n0: /opt/lib/libnccl-net.so cannot be read: NCCL may fall back to sockets",
              "n0: 1 of 3 interfaces are missing: enp6s0", "n0: interfaces are down: enp7s0",
              "n0: interfaces not in the profile: enp9s0",
              "n0: rxdm does not answer at /run/rxdm.socket"});
  CHECK(std::ranges::none_of(found(facts), &Finding::fatal));
}

TEST_CASE("preflight: the order of the interfaces is part of the contract") {
  NodeFacts facts = good();
  facts.interfaces["enp6s0"].place = "0000:08:00.0";
  CHECK(
      said(facts) ==
      Texts{"n0: interface enp7s0 comes before enp6s0 on this node, but after it in the profile"});
}

TEST_CASE("preflight: limits of tasks and /dev/shm must suffice") {
  NodeFacts facts = good();
  facts.memlock_bytes = 64 << 10;
  facts.dev_shm_bytes = 64 << 20;
  CHECK(said(facts) ==
        Texts{"n0: tasks may lock only 6.1e-05 GiB of memory, but the transport needs "
              "0.000977 GiB (`ulimit -l`)",
              "n0: /dev/shm has only 0.0625 GiB, but NCCL needs 1 GiB"});
  facts = good();
  facts.stack_is_unlimited = true;
  CHECK(said(facts).empty());  // NCCL 2.28 knows what to do
  facts.stock->nccl = "2.27.5";
  CHECK(said(facts).front() ==
        "n0: the stack is unlimited, so threads of NCCL 2.27.5 get too small a stack "
        "(`ulimit -s`)");
}

TEST_CASE("preflight: an unknown combination of versions is reported once for all nodes") {
  NodeFacts facts = good();
  facts.stock->nccl = "2.27.5";
  const auto findings = found(facts, profile(), {}, {true, "aaaa"});
  CHECK(texts(findings) == Texts{"n0: plugin 1.0.17, daemon 1.0.23 and NCCL 2.27.5 are not "
                                 "known to work together"});
  CHECK(findings[0].everywhere);
  CHECK_FALSE(findings[0].fatal);
}

TEST_CASE(
    "preflight: libraries that differ from the submit host's end the job, reported by this node") {
  const auto findings = found(good(), profile(), {}, {true, "bbbb"});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].fatal);
  CHECK_FALSE(findings[0].everywhere);
  CHECK(findings[0].text ==
        "n0: this node's transport libraries differ from the submit host's (aaaa and bbbb): "
        "nodes with different libraries cannot work together");
  CHECK(found(good(), profile(), {}, {true, "aaaa"}).empty());
}

TEST_CASE("preflight: for a job on one node, only limits are checked") {
  NodeFacts facts = good();
  facts.missing_libraries = {"/opt/lib/libnccl-net.so"};
  facts.daemon_answers = false;
  facts.memlock_bytes = 1;
  CHECK(found(facts, profile(), {}, {false, "bbbb"}).empty());
}

TEST_CASE("preflight: a fatal combination requires all its conditions") {
  const NodeTransport::Fatal rule = {"2.24", "2.29.3", "", "aarch64", "", "", false, "it hangs"};
  NodeFacts facts = good();
  CHECK(with_rule(rule, facts).empty());  // another architecture
  facts.architecture = "aarch64";
  CHECK(texts(with_rule(rule, facts)) == Texts{"n0: it hangs (NCCL 2.28.7)"});
  CHECK(with_rule(rule, facts)[0].fatal);
  facts.stock->nccl = "2.29.3";
  CHECK(with_rule({"2.24", "2.29.3", "", "aarch64", "", "", false, "it hangs"}, facts).size() == 1);
  CHECK(std::ranges::none_of(with_rule(rule, facts), &Finding::fatal));
  facts.stock.reset();  // nobody knows the version
  CHECK(with_rule(rule, facts).empty());
}

TEST_CASE("preflight: a variable is fatal for its value, or for not being the recommended one") {
  const NodeTransport::Fatal tree = {"", "", "", "", "NCCL_ALGO", "Tree", false, "no"};
  CHECK(with_rule(tree, good(), {{"NCCL_ALGO", "Tree"}})[0].everywhere);
  CHECK(with_rule(tree, good(), {{"NCCL_ALGO", "Ring,Tree"}}).empty());
  CHECK(with_rule(tree, good()).empty());
  const NodeTransport::Fatal other = {"", "", "", "", "NCCL_X", "*", false, "no"};
  CHECK(with_rule(other, good(), {{"NCCL_X", "1"}}).empty());
  CHECK(with_rule(other, good(), {{"NCCL_X", "2"}}).size() == 1);
}

TEST_CASE("preflight: versions are compared number by number") {
  CHECK(compare_versions("2.28.7", "2.28.7") == 0);
  CHECK(compare_versions("2.9", "2.28") == -1);
  CHECK(compare_versions("2.28", "2.28.1") == -1);
  CHECK(compare_versions("1.0.9-1", "1.0.9") == 1);
}

TEST_CASE("preflight: facts are read below a root folder") {
  TemporaryDirectory root;
  const auto interface = [&](const std::string& name, const std::string& state, const char* pci) {
    const std::filesystem::path folder = root / "sys/class/net" / name;
    make_directories(folder);
    write_file(folder / "operstate", state + "\n");
    write_file(folder / "ifindex", "7\n");
    if (pci != nullptr) {
      std::filesystem::create_directory_symlink("../../../devices/" + std::string(pci),
                                                folder / "device");
    }
  };
  interface("enp0s12", "up", nullptr);
  interface("enp6s0", "down", "0000:06:00.0");
  interface("enp9s0", "up", "0000:09:00.0");
  interface("docker0", "up", nullptr);
  const NodeFacts facts = look_up(profile(), {{"SLURM_RLIMIT_MEMLOCK", "65536"}}, root.path());
  CHECK(facts.interfaces.at("enp0s12").up);
  CHECK(facts.interfaces.at("enp0s12").place == "00000007");
  CHECK_FALSE(facts.interfaces.at("enp6s0").up);
  CHECK(facts.interfaces.at("enp6s0").place == "0000:06:00.0");
  CHECK_FALSE(facts.interfaces.at("enp7s0").exists);
  CHECK(facts.further_interfaces == Texts{"enp9s0"});
  CHECK(facts.missing_libraries == Texts{"/opt/lib/libnccl-net.so"});
  CHECK(facts.memlock_bytes == 65536U);
  CHECK_FALSE(facts.daemon_answers);
  CHECK_FALSE(facts.stock);
}

TEST_CASE("preflight: a listening socket responds, by its path, its folder or its name") {
  TemporaryDirectory root;
  CHECK_FALSE(socket_answers("/rx", root.path()));
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::ranges::copy((root / "rx").string(), address.sun_path);
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK_FALSE(socket_answers("/rx", root.path()));  // there, and nobody listens
  REQUIRE(::listen(listener.get(), 4) == 0);
  CHECK(socket_answers("/rx", root.path()));
  CHECK(socket_answers("/*", root.path()));
  CHECK_FALSE(socket_answers("/nowhere/*", root.path()));
  CHECK_FALSE(socket_answers("@slipway-test-nobody", root.path()));
}
