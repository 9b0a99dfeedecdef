// Tests of finding the processes on a GPU, with a driver and a kernel that change in between.
#include "launcher/health/gpu_processes.h"

#include "tests/unit/catch.h"

using namespace slipway::health;

namespace {

using Ids = std::vector<unsigned>;
using Starts = std::vector<std::string>;

// The driver's and the kernel's successive answers; the last one repeats.
class Node {
 public:
  Node(std::vector<Ids> on_gpu, Starts starts)
      : on_gpu_(std::move(on_gpu)), starts_(std::move(starts)) {}

  std::vector<GpuProcess> processes() {
    return *processes_of_gpu({[&] { return next(on_gpu_, asked_driver_); },
                              [&](unsigned) { return next(starts_, asked_kernel_); },
                              [&] { ++pauses; }});
  }
  int pauses = 0;

 private:
  template <class T>
  static T next(const std::vector<T>& answers, size_t& asked) {
    return answers.at(std::min(asked++, answers.size() - 1));
  }
  std::vector<Ids> on_gpu_;
  Starts starts_;
  size_t asked_driver_ = 0, asked_kernel_ = 0;
};

}  // namespace

TEST_CASE("gpu processes: a living process is found, without a pause") {
  Node node({{7}}, {"100"});
  CHECK(node.processes() == std::vector<GpuProcess>{{7, false}});
  CHECK(node.pauses == 0);
}

TEST_CASE("gpu processes: a process that the driver still lists each time after its end is stuck") {
  Node node({{7}}, {""});
  CHECK(node.processes() == std::vector<GpuProcess>{{7, true}});
  CHECK(node.pauses == 2);
}

TEST_CASE("gpu processes: a process that ends between the two answers is not stuck") {
  Node node({{7}, {}}, {""});
  CHECK(node.processes().empty());
}

TEST_CASE("gpu processes: a process that the driver releases late is not stuck") {
  Node node({{7}, {7}, {}}, {""});
  CHECK(node.processes().empty());
}

TEST_CASE("gpu processes: a reused PID is attributed to nobody") {
  CHECK(Node({{7}}, {"100", "200"}).processes().empty());
  CHECK(Node({{7}}, {"", "200"}).processes().empty());
  CHECK(Node({{7}}, {"100", ""}).processes().empty());
  CHECK(Node({{7}}, {"", "", "200"}).processes().empty());
}

TEST_CASE("gpu processes: without support in the driver, no processes are listed") {
  const auto none = [] { return std::optional<Ids>(); };
  CHECK_FALSE(processes_of_gpu({none, [](unsigned) { return ""; }, [] {}}));
}
