// Tests of what we make of NCCL's RAS service: recorded answers, and a stand-in that answers badly.
#include "common/nccl_ras.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "tests/unit/catch.h"

using namespace slipway;

namespace {

const std::string ras_folder = TEST_SOURCE_ROOT "/tests/fakes/nccl_recorded/";
std::string recorded_answer(const std::string& name) {
  return read_file(ras_folder + "ras-" + name + ".txt");
}
using Lines = std::vector<std::string>;

class RasStandIn {
 public:
  // `user`: whose process it is; 0: ours.
  explicit RasStandIn(const std::string& mode, const std::string& address = "127.0.0.1",
                      const std::string& port = "0", uid_t user = 0) {
    int out[2], in[2];
    REQUIRE((::pipe(out) == 0 && ::pipe(in) == 0));
    pid_ = fork_child("ras.py");
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      if (user != 0 && ::setuid(user) != 0) ::_exit(126);
      ::execlp("python3", "python3", (ras_folder + "ras.py").c_str(),
               (ras_folder + "ras-stopped.txt").c_str(), mode.c_str(), address.c_str(),
               port.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(in[0]);
    in_ = Fd(in[1]);
    const Fd said(out[0]);
    char text[16] = {};
    REQUIRE(::read(said.get(), text, sizeof text - 1) > 0);
    port_ = std::stoi(text);
  }
  ~RasStandIn() {
    in_.reset();
    wait_for_child(pid_);
  }
  RasStandIn(const RasStandIn&) = delete;
  RasStandIn& operator=(const RasStandIn&) = delete;

  std::string port() const { return std::to_string(port_); }
  std::string at(const std::string& host) const { return fmt::format("{}:{}", host, port_); }

 private:
  pid_t pid_ = 0;
  int port_ = 0;
  Fd in_;
};

std::string refusal(const std::string& address, double seconds = 1) {
  try {
    return "answered: " + ask_ras(address, seconds);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("ras: what NCCL 2.28.9 says of two ranks that run, of which one is stopped, or killed") {
  CHECK(ras_findings(recorded_answer("healthy")).empty());
  CHECK(ras_findings(recorded_answer("stopped")) ==
        Lines{"rank 1 of 2 does not answer (process 1707 on 192.0.2.2)"});
  // RAS no longer knows a communicator here, so it does not know a rank.
  CHECK(ras_findings(recorded_answer("killed")) ==
        Lines{"process 2321 on 192.0.2.2 does not answer"});
}

// In the words of NCCL's sources, as these states have not been recorded.
TEST_CASE("ras: dead processes, errors, ranks that have left, and the rank that did not come") {
  CHECK(
      ras_findings(
          "Group     Comms     Nodes\n"
          "    0         1         2         4         8         8   RUNNING  INCOMPLETE\n"
          "    1         4         1         2         2         8   RUNNING  MISMATCH\n"
          "\nErrors\n======\n\nDEAD\n"
          "  1 job process is considered dead (unreachable via the RAS network)\n"
          "  Process 12 on node n1 managing GPU 3\n"
          "\n#1-0 (aa) INCOMPLETE\n  Missing communicator data from 1 rank\n"
          "  Rank 1 -- GPU 3 managed by process 12 on node n1\n"
          "\n#0-0 (bb) INCOMPLETE\n  Missing communicator data from 2 ranks\n"
          "  Rank 7 -- GPU 3 managed by process 12 on node n1\n"
          "  Rank 5 -- [process information not found]\n"
          "\n#0-0 (bb) ERROR\n  Asynchronous error(s) on 1 rank\n"
          "  Rank 2 reported System error -- GPU 2 managed by process 9 on node n0\n"
          "\nWarnings\n========\n\n#0-0 (bb) MISMATCH\n"
          "  Communicator ranks have different status\n"
          "  Rank 6 has status NOCOMM -- GPU 2 managed by process 11 on node n1\n"
          "  Communicator ranks have different AllReduce operation counts\n"
          "  6 ranks have launched up to operation 120\n"
          "  Rank 3 has launched up to operation 119 -- GPU 3 managed by process 8 on node n0\n"
          "  Communicator ranks have different Broadcast operation counts\n"
          "  Rank 0 has launched up to operation 4 -- GPU 0 managed by process 5 on node n0\n"
          "  Rank 1 has not launched any operations -- GPU 1 managed by process 6 on node n0\n") ==
      Lines{"rank 7 of 8 is dead (process 12 on n1)", "rank 5 of 8 is missing",
            "rank 2 of 8 reports: System error (process 9 on n0)",
            "rank 6 of 8 has left the communicator (process 11 on n1)",
            "rank 3 of 8 has started 119 AllReduce operations, and others 120 (process 8 on n0)",
            "rank 1 of 8 has started 0 Broadcast operations, and others 4 (process 6 on n0)"});
}

TEST_CASE("ras: an answer is only words, few and printable") {
  CHECK(ras_findings("DEAD\n  Process 7 on node \x1b[31mn1; rm managing GPU 0\n").empty());
  CHECK(ras_findings("DEAD\n  Process -7 on node n1\n  Process 7 on node " + std::string(100, 'n') +
                     "\n")
            .empty());
  std::string many = "#0-0 (bb) INCOMPLETE\n";
  for (int rank = 0; rank < 1000; ++rank)
    many += fmt::format("  Rank {} -- GPU 0 managed by process {} on node n1\n", rank, rank);
  const Lines lines = ras_findings(many);
  REQUIRE(lines.size() == 10);
  CHECK(lines.back() == "and 991 more");
  CHECK(ras_lines("a\x1b[31m\r\n\n  \nb\xff") == Lines{"a[31m", "b"});
}

TEST_CASE("ras: a service answers on IPv4 or IPv6, whole, slowly or in part") {
  const Lines stopped = {"rank 1 of 2 does not answer (process 1707 on 192.0.2.2)"};
  for (const char* const mode : {"ok", "cut", "slow", "once-silent"}) {
    INFO(mode);
    const RasStandIn ras(mode);
    CHECK(ras_findings(ask_ras(ras.at("localhost"), 3)) == stopped);
    CHECK(ras_findings(ask_ras(ras.at("127.0.0.1"), 3)) == stopped);
  }
  if (Fd(::socket(AF_INET6, SOCK_STREAM, 0))) {
    const RasStandIn ras("ok", "::1");
    CHECK(ras_findings(ask_ras(ras.at("localhost"), 3)) == stopped);
    CHECK(ras_findings(ask_ras(ras.at("[::1]"), 3)) == stopped);
  }
}

TEST_CASE("ras: a false service costs little time, and little of what it says is kept") {
  const RasStandIn silent("silent"), endless("endless"), binary("binary");
  CHECK_THAT(refusal(silent.at("127.0.0.1")), ContainsSubstring("does not answer"));
  CHECK(ask_ras(endless.at("127.0.0.1"), 3).size() < (size_t{1} << 20));
  CHECK(ras_findings(ask_ras(binary.at("127.0.0.1"), 3)).empty());
  CHECK(refusal("127.0.0.1:1") == "cannot connect to 127.0.0.1:1: Connection refused");
  CHECK(refusal("localhost") == "localhost is not HOST:PORT");
  CHECK(refusal("a:b\x1b") == "a:b is not HOST:PORT");
  CHECK_THAT(refusal("no-such-host.invalid:1"),
             ContainsSubstring("cannot resolve no-such-host.invalid: "));
}

TEST_CASE("ras: what another user's program on the port says is not believed") {
  if (::geteuid() != 0) return;  // only root can become another user
  constexpr uid_t another_user = 30001;
  const RasStandIn foreign("ok", "127.0.0.1", "0", another_user);
  const std::string refused =
      fmt::format("another user (uid 30001) listens on {}", foreign.at("127.0.0.1"));
  CHECK(refusal(foreign.at("127.0.0.1")) == refused);
  CHECK(refusal(foreign.at("localhost")) == refused);
  if (!Fd(::socket(AF_INET6, SOCK_STREAM, 0))) return;
  // Our own program has the port of the other address, and is found there.
  const RasStandIn own("ok", "::1", foreign.port());
  CHECK(ras_findings(ask_ras(own.at("localhost"), 3)) ==
        Lines{"rank 1 of 2 does not answer (process 1707 on 192.0.2.2)"});
}
