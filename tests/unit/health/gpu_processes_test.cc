// Tests of which processes hold a GPU, with a driver and a kernel that change in between.
#include "launcher/health/gpu_processes.h"

#include "tests/unit/catch.h"

using namespace slipway::health;

namespace {

using Ids = std::vector<unsigned>;
using Starts = std::vector<std::string>;

// What the driver and the kernel answer each time that they are asked; the last answer stays.
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

TEST_CASE("gpu processes: one that lives is on the GPU, and costs no pause") {
  Node node({{7}}, {"100"});
  CHECK(node.processes() == std::vector<GpuProcess>{{7, false}});
  CHECK(node.pauses == 0);
}

TEST_CASE("gpu processes: one that the driver still has after it has ended, each time, is stuck") {
  Node node({{7}}, {""});
  CHECK(node.processes() == std::vector<GpuProcess>{{7, true}});
  CHECK(node.pauses == 2);
}

TEST_CASE(
    "gpu processes: one that ends between the driver's answer and the kernel's is not stuck") {
  Node node({{7}, {}}, {""});
  CHECK(node.processes().empty());
}

TEST_CASE("gpu processes: one that the driver lets go of late is not stuck") {
  Node node({{7}, {7}, {}}, {""});
  CHECK(node.processes().empty());
}

TEST_CASE("gpu processes: a number that goes to another process in between is nobody's") {
  CHECK(Node({{7}}, {"100", "200"}).processes().empty());
  CHECK(Node({{7}}, {"", "200"}).processes().empty());
  CHECK(Node({{7}}, {"100", ""}).processes().empty());
  CHECK(Node({{7}}, {"", "", "200"}).processes().empty());
}

TEST_CASE("gpu processes: a driver that does not say names none") {
  const auto none = [] { return std::optional<Ids>(); };
  CHECK_FALSE(processes_of_gpu({none, [](unsigned) { return ""; }, [] {}}));
}
