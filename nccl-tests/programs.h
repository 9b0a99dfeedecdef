// What the programs of the bandwidth tests do: each takes the words of its command line, its name
// first, and returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace slipway::bandwidth {

int perf_main(std::vector<std::string> words);
int scan_main(std::vector<std::string> words);
int compare_main(std::vector<std::string> words);
int plot_main(std::vector<std::string> words);

}  // namespace slipway::bandwidth
