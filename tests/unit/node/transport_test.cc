// Tests the transport's daemon beside jobs, with a fake daemon that really listens.
#include "launcher/node/transport.h"

#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/socket_probe.h"
#include "common/text.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// A node's places, and a daemon that runs tests/fakes/rxdm.py with these options.
class Node {
 public:
  NodeTransport::Daemon daemon(const std::vector<std::string>& options = {}) const {
    NodeTransport::Daemon daemon;
    daemon.name = "rxdm";
    daemon.command = {FAKE_RXDM, "--socket", socket()};
    daemon.command.insert(daemon.command.end(), options.begin(), options.end());
    daemon.socket = socket();
    daemon.deadline_seconds = 20;
    return daemon;
  }
  std::string socket() const { return folder_ / "run/rx"; }
  TransportPlaces places() const {
    return {.state = folder_ / "state",
            .logs = folder_ / "logs",
            .stock = folder_ / "stock.json",
            .versions = folder_ / "versions"};
  }
  std::string log(const std::string& job) const {
    return read_file(folder_ / "logs" / ("rxdm-" + job + ".log"));
  }
  fs::path folder() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("transport: the daemon is ready before a job begins, and ends with it") {
  const Node node;
  start_daemon_for("7", node.daemon(), node.places());
  CHECK(socket_answers(node.socket()));
  CHECK(node.log("7") == "fake rxdm: serves\n");
  stop_daemon_for("7", node.daemon(), node.places());
  CHECK_FALSE(socket_answers(node.socket()));
  CHECK(node.log("7") == "fake rxdm: serves\nfake rxdm: ends\n");
}

TEST_CASE("transport: a daemon that needs the job's nodes gets them before it starts") {
  const Node node;
  NodeTransport::Daemon daemon = node.daemon();
  daemon.nodes_file = node.folder() / "etc/nodes";
  daemon.command.insert(daemon.command.end(), {"--print", daemon.nodes_file});
  start_daemon_for("7", daemon, node.places(), {"10.0.0.1", "10.0.0.2"});
  CHECK(node.log("7") == "fake rxdm: 10.0.0.1 10.0.0.2\nfake rxdm: serves\n");
  // Another job with the same nodes shares it.
  start_daemon_for("8", daemon, node.places(), {"10.0.0.1", "10.0.0.2"});
  stop_daemon_for("7", daemon, node.places());
  CHECK(socket_answers(node.socket()));
  // One with other nodes goes without, and its end does not stop the daemon.
  start_daemon_for("9", daemon, node.places(), {"10.0.0.1", "10.0.0.3"});
  CHECK(read_file(daemon.nodes_file) == "10.0.0.1\n10.0.0.2\n");
  stop_daemon_for("9", daemon, node.places());
  CHECK(socket_answers(node.socket()));
  stop_daemon_for("8", daemon, node.places());
  CHECK_FALSE(socket_answers(node.socket()));
}

TEST_CASE("transport: a command can say that a daemon serves") {
  const Node node;
  NodeTransport::Daemon daemon = node.daemon();
  daemon.socket.clear();
  make_directories(node.folder() / "run");
  daemon.query = {"/bin/sh", "-c", "test -S " + node.socket() + " && echo READY"};
  daemon.query_says = "READY";
  start_daemon_for("7", daemon, node.places());
  CHECK(socket_answers(node.socket()));
  stop_daemon_for("7", daemon, node.places());
  daemon.query_says = "DEGRADED";
  daemon.deadline_seconds = 1;
  CHECK_THROWS_WITH(start_daemon_for("8", daemon, node.places()),
                    ContainsSubstring("rxdm was not ready within 1 s"));
}

TEST_CASE("transport: the addresses of nodes") {
  CHECK(addresses_of_nodes({"127.0.0.1", "127.0.0.2"}) ==
        std::vector<std::string>{"127.0.0.1", "127.0.0.2"});
  CHECK_THROWS_WITH(addresses_of_nodes({"no-such-node.invalid"}),
                    ContainsSubstring("cannot resolve no-such-node.invalid: "));
}

TEST_CASE("transport: removes only logs that are two weeks old") {
  const Node node;
  const fs::path logs = node.folder() / "logs";
  make_directories(logs);
  for (const char* name : {"rxdm-1.log", "rxdm-2.log", "slurmd.log"}) write_file(logs / name, "x");
  fs::create_symlink("rxdm-1.log", logs / "rxdm-3.log");
  const auto old = fs::file_time_type::clock::now() - std::chrono::days(15);
  for (const char* name : {"rxdm-1.log", "slurmd.log"}) fs::last_write_time(logs / name, old);
  start_daemon_for("7", node.daemon(), node.places());
  stop_daemon_for("7", node.daemon(), node.places());
  CHECK_FALSE(fs::exists(logs / "rxdm-1.log"));
  CHECK_FALSE(fs::is_symlink(logs / "rxdm-3.log"));
  CHECK(fs::exists(logs / "rxdm-2.log"));
  CHECK(fs::exists(logs / "rxdm-7.log"));
  CHECK(fs::exists(logs / "slurmd.log"));
}

TEST_CASE("transport: starting and stopping can be repeated") {
  const Node node;
  start_daemon_for("7", node.daemon(), node.places());
  start_daemon_for("7", node.daemon(), node.places());
  CHECK(node.log("7") == "fake rxdm: serves\n");
  stop_daemon_for("7", node.daemon(), node.places());
  stop_daemon_for("7", node.daemon(), node.places());
  stop_daemon_for("8", node.daemon(), node.places());
  CHECK_FALSE(socket_answers(node.socket()));
}

TEST_CASE("transport: a daemon shared by two jobs ends with the last, and both have its log") {
  const Node node;
  start_daemon_for("7", node.daemon(), node.places());
  start_daemon_for("8", node.daemon(), node.places());
  stop_daemon_for("7", node.daemon(), node.places());
  CHECK(socket_answers(node.socket()));
  stop_daemon_for("8", node.daemon(), node.places());
  CHECK_FALSE(socket_answers(node.socket()));
  CHECK(node.log("7") == node.log("8"));
}

TEST_CASE("transport: a daemon that died is restarted after its leftovers are removed") {
  const Node node;
  NodeTransport::Daemon daemon = node.daemon();
  const std::string removed = node.folder() / "removed";
  daemon.stop = {"/usr/bin/touch", removed};
  start_daemon_for("7", daemon, node.places());
  const int pid = std::atoi(read_file(node.places().state / "process").c_str());
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  start_daemon_for("8", daemon, node.places());
  CHECK(fs::exists(removed));
  CHECK(socket_answers(node.socket()));
  stop_daemon_for("7", daemon, node.places());
  stop_daemon_for("8", daemon, node.places());
}

TEST_CASE("transport: a daemon that ends at once is an error with its last output") {
  const Node node;
  CHECK_THROWS_WITH(start_daemon_for("7", node.daemon({"--fail"}), node.places()),
                    "rxdm ended before it was ready; its output: fake rxdm: no GPU has a NIC");
  CHECK_FALSE(fs::exists(node.places().state / "process"));
  CHECK(fs::is_empty(node.places().state / "jobs"));
}

TEST_CASE("transport: a daemon that is not ready in time is ended") {
  const Node node;
  NodeTransport::Daemon daemon = node.daemon({"--never-serve"});
  daemon.deadline_seconds = 1;
  CHECK_THROWS_WITH(start_daemon_for("7", daemon, node.places()),
                    ContainsSubstring("rxdm was not ready within 1 s"));
  CHECK_FALSE(fs::exists(node.places().state / "process"));
}

TEST_CASE("transport: does not wait forever for a prolog that holds the lock") {
  const Node node;
  TransportPlaces places = node.places();
  make_directories(places.state);
  const Fd held = try_lock(places.state / "lock");
  places.patience = 50ms;
  NodeTransport::Daemon daemon = node.daemon();
  daemon.deadline_seconds = 0;
  CHECK_THROWS_WITH(start_daemon_for("7", daemon, places),
                    "another job's prolog or epilog has been busy with rxdm for too long");
  CHECK_THROWS_WITH(stop_daemon_for("7", daemon, places), ContainsSubstring("for too long"));
}

TEST_CASE("transport: without a known socket, the log shows when it is ready") {
  const Node node;
  NodeTransport::Daemon daemon = node.daemon();
  daemon.socket.clear();
  daemon.log_says = "serves";
  make_directories(node.folder() / "run");
  start_daemon_for("7", daemon, node.places());
  CHECK_THAT(node.log("7"), ContainsSubstring("serves"));
  stop_daemon_for("7", daemon, node.places());
}

TEST_CASE("transport: a host list with one node names one node") {
  CHECK_FALSE(names_several("gpu-7"));
  CHECK(names_several("gpu-[0-1]"));
  CHECK(names_several("gpu-7,cpu-3"));
}

TEST_CASE("transport: records versions and libraries, again if they change") {
  const Node node;
  NodeTransport transport;
  transport.name = "tcpxo";
  record_transport_versions(transport, node.places());
  CHECK_FALSE(load_transport_stock(node.places().stock));  // nothing to record
  transport.libraries = {node.folder() / "lib", {"libnccl-net.so"}, true};
  make_directories(node.folder() / "lib");
  write_file(node.folder() / "lib/libnccl-net.so", "plugin");
  write_file(node.folder() / "lib/libnccl.so.2",
             std::string("\0x\0NCCL version %d\0", 18) + "NCCL version 2.28.7+cuda12.8");
  write_file(node.folder() / "versions", "plugin=1.0.17\ndaemon=1.0.23\n");
  record_transport_versions(transport, node.places());
  const auto stock = load_transport_stock(node.places().stock);
  REQUIRE(stock);
  CHECK(stock->nccl == "2.28.7");
  CHECK(stock->plugin == "1.0.17");
  CHECK(stock->daemon == "1.0.23");
  CHECK(stock->digest.size() == 64);
  const auto written = fs::last_write_time(node.places().stock);
  record_transport_versions(transport, node.places());
  CHECK(fs::last_write_time(node.places().stock) == written);
  write_file(node.folder() / "lib/libnccl-net.so", "another");
  record_transport_versions(transport, node.places());
  CHECK(load_transport_stock(node.places().stock)->digest != stock->digest);
}
