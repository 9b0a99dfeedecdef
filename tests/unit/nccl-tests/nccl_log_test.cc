#include "nccl-tests/nccl_log.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

TEST_CASE("nccl log: lists the transports of the channels, each once") {
  // Lines as NCCL 2.28 writes them with NCCL_DEBUG=INFO.
  CHECK(transports_in_log(
            "vm:12:34 [0] NCCL INFO Using network Socket\n"
            "vm:12:34 [0] NCCL INFO Channel 00/0 : 1[1] -> 0[0] [receive] via NET/Socket/0\n"
            "vm:12:34 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] [send] via NET/Socket/0\n"
            "vm:12:34 [0] NCCL INFO Channel 00/0 : 0[0] -> 2[2] via P2P/CUMEM/read\n"
            "vm:12:34 [0] NCCL INFO Channel 00 : 0[0] -> 3[3] via SHM/direct/direct\n") ==
        "NET/Socket, P2P/CUMEM, SHM/direct");
}

TEST_CASE("nccl log: a network with remote memory access is distinguished") {
  CHECK(transports_in_log(
            "vm:1:2 [0] NCCL INFO Channel 00/0 : 1[1] -> 0[0] [send] via NET/gIB/3/GDRDMA\n") ==
        "NET/gIB");
}

TEST_CASE("nccl log: the name of a library alone does not mean that it was used") {
  CHECK(transports_in_log("vm:12:34 [0] NCCL INFO Using network Socket\n").empty());
  CHECK(transports_in_log("").empty());
}

TEST_CASE("nccl log: lists warnings once, the last ones") {
  const std::string log =
      "\n[2026-11-20 10:00:00] vm:12:34 [0] transport/net_ib.cc:12 NCCL WARN NET/IB : broken\n"
      "vm:12:34 [0] NCCL INFO Using network IB\n"
      "\n[2026-11-20 10:00:01] vm:12:34 [0] transport/net_ib.cc:12 NCCL WARN NET/IB : broken\n"
      "vm:12:34 [0] init.cc:1 NCCL WARN the second\n";
  CHECK(warnings_in_log(log) == std::vector<std::string>{"NET/IB : broken", "the second"});
  CHECK(warnings_in_log(log, 1) == std::vector<std::string>{"the second"});
}

TEST_CASE("nccl log: users see what they asked for") {
  const std::string log =
      "NCCL version 2.28.9+cuda13.0\nvm:1:2 [0] NCCL INFO a\nvm:1:2 [0] x.cc:1 NCCL WARN b\n";
  CHECK(shown_at("version", log) == "NCCL version 2.28.9+cuda13.0\n");
  CHECK(shown_at("WARN", log) == "NCCL version 2.28.9+cuda13.0\nvm:1:2 [0] x.cc:1 NCCL WARN b\n");
  CHECK(shown_at("INFO", log) == log);
}

TEST_CASE("nccl log: the file of NCCL_DEBUG_FILE") {
  CHECK(expand_log_path("/tmp/100%%/log") == "/tmp/100%/log");
  CHECK(expand_log_path("/tmp/a.%p") == "/tmp/a." + std::to_string(::getpid()));
  CHECK(expand_log_path("/tmp/%x%") == "/tmp/%x%");
}
