// What the programs of the bandwidth tests do: each takes its arguments and returns the exit
// status.
#pragma once

#include <string>
#include <vector>

namespace slipway::bandwidth {

// `words`: also the program's name, first, as it may be the collective's.
int perf_main(std::vector<std::string> words);
int scan_main(const std::vector<std::string>& args);
int compare_main(const std::vector<std::string>& args);
int plot_main(const std::vector<std::string>& args);

}  // namespace slipway::bandwidth
