#include "launcher/node/open_mpi.h"

#include "tests/unit/catch.h"

using slipway::node::reach_other_nodes;

TEST_CASE("Open MPI: settings for the loopback interface alone are dropped, and no others") {
  CHECK(reach_other_nodes("# all\nbtl_tcp_if_include=lo\nbtl = ^uct\n") == "# all\nbtl = ^uct\n");
  CHECK(reach_other_nodes("  btl_tcp_if_include = lo , 127.0.0.0/8") == "");
  for (const char* settings :
       {"", "btl = ^uct\n", "#btl_tcp_if_include=lo\n", "btl_tcp_if_include=eth0\n",
        "btl_tcp_if_include = lo,eth0\n", "btl_tcp_if_exclude = lo\n", "btl_tcp_if_include\n"}) {
    CAPTURE(settings);
    CHECK(reach_other_nodes(settings) == std::nullopt);
  }
}
