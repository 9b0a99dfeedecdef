// The software under a run: what a slower result may be due to.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

// Of this node: `driver` (NVIDIA's), `image` (of the operating system), `kernel` and `slurm`. What
// the node does not have is left out.
std::map<std::string, std::string> software_of_this_node();

// "560.35.03" of the text of /proc/driver/nvidia/version; empty if it has none.
std::string driver_in(std::string_view text);
// The image's name and version in the text of /etc/os-release, else the distribution's.
std::string image_in(std::string_view text);

// As a text that ranks can share; the nodes' values in order of the ranks, each once:
// "550.90.07, 560.35.03".
std::string software_text(const std::map<std::string, std::string>& software);
std::map<std::string, std::string> joined_software(const std::vector<std::string>& texts);

}  // namespace slipway::bandwidth
