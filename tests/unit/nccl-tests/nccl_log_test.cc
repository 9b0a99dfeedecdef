#include "nccl-tests/nccl_log.h"

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
