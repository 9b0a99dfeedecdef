// Starts the program that is all bandwidth tests in one, for installations where space matters more
// than names: what it does follows from the name that it is started by.
#include <filesystem>
#include <string>

#include "nccl-tests/programs.h"

int main(int argc, char** argv) {
  using namespace slipway::bandwidth;
  const std::string name = std::filesystem::path(argv[0]).filename();
  if (name == "bandwidth_scan") return scan_main({argv + 1, argv + argc});
  if (name == "bandwidth_compare") return compare_main({argv + 1, argv + argc});
  if (name == "bandwidth_plot") return plot_main({argv + 1, argv + argc});
  return perf_main({argv, argv + argc});
}
