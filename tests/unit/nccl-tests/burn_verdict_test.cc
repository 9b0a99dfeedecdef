// Which GPUs of a burn are named, and how a scan says so.
#include "nccl-tests/burn_verdict.h"

#include "common/error.h"
#include "nccl-tests/burn_kernels.h"
#include "nccl-tests/scan_burn.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

constexpr uint64_t hardware_heat = 0x40;  // nvmlClocksThrottleReasonHwThermalSlowdown
constexpr uint64_t power_cap = 0x4;       // nvmlClocksEventReasonSwPowerCap

// Three nodes with four GPUs each, which differ by up to 3 %.
std::vector<NodeBurn> burned_nodes() {
  std::vector<NodeBurn> nodes;
  for (const int node : {0, 1, 2}) {
    NodeBurn one{.node = node, .missing = "", .gpus = {}};
    for (const int index : {0, 1, 2, 3}) {
      BurnedGpu gpu;
      gpu.index = index;
      gpu.bus = "0000:0" + std::to_string(4 + index) + ":00.0";
      gpu.model = "NVIDIA H100 80GB HBM3";
      gpu.repetitions = 100;
      gpu.tflop_per_s = 40 + 0.4 * index;
      gpu.throttled = power_cap;
      one.gpus.push_back(gpu);
    }
    nodes.push_back(one);
  }
  return nodes;
}

std::vector<std::string> texts_of(const std::vector<NodeBurn>& nodes, double detect = 0.1) {
  std::vector<std::string> texts;
  for (const BurnFinding& one : judge_burn(nodes, detect))
    texts.push_back(std::to_string(one.node) + ": " + one.text);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("burn verdict: healthy GPUs that reach the limit of their power are not named") {
  CHECK(texts_of(burned_nodes()).empty());
  CHECK(burned_text(burned_nodes()) == "12 GPUs of 3 nodes");
}

TEST_CASE("burn verdict: a GPU that computes wrong, fails, is lost or has memory errors") {
  std::vector<NodeBurn> nodes = burned_nodes();
  nodes[0].gpus[1].wrong_repetitions = 2;
  nodes[1].gpus[0].failed = "cuCtxSynchronize: CUDA error 719 in repetition 4";
  nodes[1].gpus[0].tflop_per_s = 0;
  nodes[1].gpus[0].lost = "GPU is lost";
  nodes[2].gpus[3].ecc_uncorrected = 1;
  CHECK(texts_of(nodes) ==
        Texts{"0: GPU 1 (0000:05:00.0) computed wrong results in 2 of 100 repetitions",
              "1: GPU 0 (0000:04:00.0) was lost while it computed: GPU is lost",
              "1: GPU 0 (0000:04:00.0) failed: cuCtxSynchronize: CUDA error 719 in repetition 4",
              "2: GPU 3 (0000:07:00.0) had 1 uncorrectable memory error while it computed"});
}

TEST_CASE("burn verdict: a GPU that is slower than its equals, with what NVML says about it") {
  std::vector<NodeBurn> nodes = burned_nodes();
  nodes[1].gpus[2].tflop_per_s = 30;
  CHECK(
      texts_of(nodes) ==
      Texts{"1: GPU 2 (0000:06:00.0) computes 30 TFLOP/s, its equals 40.4: clocks not throttled"});
  CHECK(texts_of(nodes, 0.3).empty());
  nodes[1].gpus[2].throttled = hardware_heat;
  nodes[1].gpus[2].sm_mhz = 345;
  nodes[1].gpus[2].celsius = 92;
  CHECK(texts_of(nodes) == Texts{"1: GPU 2 (0000:06:00.0) computes 30 TFLOP/s, its equals 40.4: "
                                 "too hot (hardware), 345 MHz, 92 °C"});
  // The heat is a fault even if it has not cost much yet.
  CHECK(texts_of(nodes, 0.3) ==
        Texts{"1: GPU 2 (0000:06:00.0) is throttled: too hot (hardware), 345 MHz, 92 °C"});
}

TEST_CASE("burn verdict: a node whose GPUs are all slow is compared with the other nodes") {
  std::vector<NodeBurn> nodes = burned_nodes();
  for (BurnedGpu& gpu : nodes[2].gpus) gpu.tflop_per_s /= 2;
  const Texts texts = texts_of(nodes);
  REQUIRE(texts.size() == 4);
  for (const std::string& text : texts) CHECK(text.starts_with("2: "));
  // GPUs of other models are not compared.
  for (BurnedGpu& gpu : nodes[2].gpus) gpu.model = "NVIDIA L4";
  CHECK(texts_of(nodes).empty());
}

TEST_CASE("burn verdict: a single GPU has no equals") {
  std::vector<NodeBurn> nodes = burned_nodes();
  nodes.resize(1);
  nodes[0].gpus.resize(1);
  nodes[0].gpus[0].tflop_per_s = 1;
  CHECK(texts_of(nodes).empty());
}

TEST_CASE("scan burn: a node without GPUs is not asked, and a silent node is named") {
  std::vector<NodeBurn> nodes = burned_nodes();
  nodes[0] = {.node = 0, .missing = "CUDA finds none", .gpus = {}};
  nodes[1] = {.node = 1, .missing = "no result within 70 s", .has_failed = true, .gpus = {}};
  CHECK(texts_of(nodes) == Texts{"1: GPU burn: no result within 70 s"});
  const std::vector<ScanNode> names = {{"n-0", 0}, {"n-1", 0}, {"n-2", 0}};
  CHECK(burn_text({.seconds = 10, .nodes = nodes}, names) ==
        "GPU burn: 4 GPUs of 1 node computed for 10 s\n"
        "  n-0: not asked: GPUs (CUDA finds none)\n");
}

TEST_CASE("scan burn: a node that its pairs name, too, is named once") {
  std::vector<NodeBurn> nodes = burned_nodes();
  nodes[1].gpus[0].wrong_repetitions = 1;
  nodes[2].gpus[0].wrong_repetitions = 1;
  nodes[2].gpus[1].wrong_repetitions = 3;
  std::vector<Finding> found = {{.what = Finding::What::node,
                                 .nodes = {1},
                                 .text = "n-1: 20 % below the median",
                                 .reason = "20 % below the median"}};
  add_burn({.seconds = 10, .nodes = nodes}, {{"n-0", 0}, {"n-1", 0}, {"n-2", 0}}, 0.1, found);
  REQUIRE(found.size() == 2);
  const std::string wrong = "GPU 0 (0000:04:00.0) computed wrong results in 1 of 100 repetitions";
  CHECK(found[0].text == "n-1: 20 % below the median; " + wrong);
  CHECK(found[0].reason == "20 % below the median; " + wrong);
  CHECK(found[1].nodes == std::vector<int>{2});
  CHECK(found[1].text ==
        "n-2: " + wrong + "; GPU 1 (0000:05:00.0) computed wrong results in 3 of 100 repetitions");
  CHECK(found[1].reason == wrong);
}

TEST_CASE("scan burn: each GPU is burned once, whatever the ranks of a node see") {
  using Buses = std::vector<std::vector<std::string>>;
  CHECK(share_gpus({{"a", "b"}}) == Buses{{"a", "b"}});
  CHECK(share_gpus({{"a"}, {"b"}}) == Buses{{"a"}, {"b"}});
  CHECK(share_gpus({{"a", "b"}, {"a", "b"}}) == Buses{{"a", "b"}, {}});
  CHECK(share_gpus({{"a", "b"}, {"b", "c"}}) == Buses{{"a", "b"}, {"c"}});
  CHECK(share_gpus({}).empty());
}

TEST_CASE("scan burn: tasks and results survive the way between processes") {
  const auto task = parse_burn_task(to_task({.seconds = 2.5, .buses = {"0000:04:00.0", "b"}}));
  REQUIRE(task);
  CHECK(task->seconds == 2.5);
  CHECK(task->buses == std::vector<std::string>{"0000:04:00.0", "b"});
  CHECK(!parse_burn_task("inside"));
  for (const char* const wrong : {"burn=", "burn=x;a", "burn=-1;a", "burn=1"})
    CHECK_THROWS_AS(parse_burn_task(wrong), slipway::Error);

  std::vector<BurnedGpu> gpus = burned_nodes().front().gpus;
  gpus[1].failed = "a\tb\nc\"";
  gpus[2].celsius = 61;
  gpus[2].wrong_repetitions = 7;
  const std::string text = to_text(gpus);
  CHECK(text.find_first_of("\t\n") == text.npos);
  const std::vector<BurnedGpu> got = parse_burned_gpus(text);
  REQUIRE(got.size() == 4);
  CHECK(got[1].failed == gpus[1].failed);
  CHECK(!got[1].celsius);
  CHECK(got[2].celsius == 61U);
  CHECK(got[2].wrong_repetitions == 7);
  CHECK(got[3].tflop_per_s == gpus[3].tflop_per_s);
  for (const char* const wrong : {"", "{}", "[{}]", "[1]"})
    CHECK_THROWS_AS(parse_burned_gpus(wrong), slipway::Error);
}

TEST_CASE("burn kernels: a result depends on every step and on the thread") {
  CHECK(burn_results(1) != burn_results(2));
  const BurnResults results = burn_results(100);
  for (size_t i = 1; i < results.size(); ++i) CHECK(results[i] != results[0]);
  // They do not settle, so a wrong bit is not forgotten.
  CHECK(burn_results(1000) != burn_results(1001));
}
