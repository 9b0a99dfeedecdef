#include "launcher/local/fault.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "launcher/local/gpu_state.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::local;
using Words = std::vector<std::string>;

TEST_CASE("fault: is parsed from words and survives JSON") {
  const Fault fault = parse_fault(Words{"link-rate", "enp0s12", "100mbit"});
  CHECK(fault.text() == "link-rate enp0s12 100mbit");
  CHECK(fault.key() == "link-rate enp0s12");
  CHECK(fault_from_json(to_json(fault)).text() == fault.text());
}

TEST_CASE("fault: a typo gets a suggestion, and missing arguments are named") {
  CHECK_THROWS_WITH(parse_fault(Words{"power-of"}),
                    "unknown fault `power-of`; did you mean `power-off`?");
  CHECK_THROWS_WITH(parse_fault(Words{"gpu-xid", "3"}), "gpu-xid takes N XID");
  CHECK_THROWS_WITH(parse_fault(Words{"hang", "now"}), "hang takes no argument");
  CHECK_THROWS_WITH(parse_fault(Words{"link-rate", "enp0s12", "slow"}),
                    "`slow` is not a rate; write a number and kbit, mbit or gbit");
  CHECK_THROWS_WITH(parse_fault(Words{"gpu-lost", "-1"}),
                    "`-1` is not a valid argument of gpu-lost");
  CHECK_THROWS_WITH(parse_fault(Words{"gpu-lost", "x"}), "`x` is not a whole number from 0 to 999");
  CHECK_THROWS_WITH(parse_fault(Words{"link-down", "a b"}),
                    "`a b` is not a valid argument of link-down");
}

namespace {

// The state of a GPU node's file after faults of its GPUs.
struct Gpus {
  TemporaryDirectory folder;
  const PlannedNode node =
      make_plan(cluster::quickstart_cluster(), cluster::shipped_catalogue()).nodes.back();

  nlohmann::json after(const Words& words, bool begin = true) {
    change_gpus(folder.path(), node, parse_fault(words), begin);
    return nlohmann::json::parse(read_file(folder / node.name / "gpus.json"));
  }
};

}  // namespace

TEST_CASE("gpu state: a fault changes only its GPU, and its end undoes it") {
  Gpus gpus;
  nlohmann::json state = gpus.after({"gpu-lost", "3"});
  CHECK(state["gpus"].size() == 8);
  CHECK(state["gpus"][3]["lost"] == true);
  CHECK(state["gpus"][2]["lost"] == false);
  state = gpus.after({"gpu-lost", "3"}, false);
  CHECK(state == healthy_gpus(gpus.node));
  CHECK(gpus.after({"gpu-ecc", "0", "5"})["gpus"][0]["ecc_uncorrected"] == 5);
  CHECK(gpus.after({"nvml-hang"})["nvml_hangs"] == true);
}

TEST_CASE("gpu state: each Xid is an event with its own number, also after a clear") {
  Gpus gpus;
  gpus.after({"gpu-xid", "3", "79"});
  gpus.after({"gpu-xid", "3", "79"}, false);
  const nlohmann::json state = gpus.after({"gpu-xid", "4", "48"});
  CHECK(state["gpus"][3]["xids"].empty());
  CHECK(state["gpus"][4]["xids"] == nlohmann::json::parse(R"([{"number": 2, "xid": 48}])"));
}

TEST_CASE("gpu state: each Xid is a record in the kernel log") {
  Gpus gpus;
  begin_kernel_log(gpus.folder.path(), gpus.node);
  gpus.after({"gpu-xid", "3", "79"});
  say_in_kernel_log(gpus.folder.path(), gpus.node, kernel_line("stall"));
  CHECK(read_file(kernel_log_of(gpus.folder.path(), gpus.node)) ==
        "4,0,0,-;NVRM: Xid (PCI:0000:07:00): 79, simulated\n"
        "3,1,1,-;INFO: task kworker/u8:0:7 blocked for more than 120 seconds.\n");
  CHECK_THROWS_WITH(parse_fault(Words{"kernel-log", "ops"}),
                    ContainsSubstring("known: oops, memory-error, stall, disk-error"));
}

TEST_CASE("gpu state: every GPU fault changes the GPU, and its end makes it healthy again") {
  Gpus gpus;
  int kinds = 0;
  for (const FaultKind& kind : fault_kinds()) {
    if (kind.effect != Effect::gpu) continue;
    ++kinds;
    Words words = {kind.name, "2"};
    if (kind.arguments.size() == 2) words.emplace_back("3");
    CHECK(gpus.after(words)["gpus"][2] != healthy_gpus(gpus.node)["gpus"][2]);
    CHECK(gpus.after(words, false) == healthy_gpus(gpus.node));
  }
  CHECK(kinds == 16);
}

TEST_CASE("gpu state: for an unknown GPU the error shows how many there are") {
  Gpus gpus;
  CHECK_THROWS_WITH(gpus.after({"gpu-lost", "8"}),
                    "node quickstart-a3meganodeset-3 has 8 GPUs, numbered from 0");
}

TEST_CASE("gpu state: no two GPUs have the same identity") {
  const Gpus gpus;
  const nlohmann::json state = healthy_gpus(gpus.node);
  CHECK(state["gpus"][0]["uuid"].get<std::string>().size() == 40);
  CHECK(state["gpus"][0]["uuid"] != state["gpus"][1]["uuid"]);
}
