// What a machine's image contains for its transport, on nodes that only simulate the machine.
//
// Scripts that people submit read the vendor's profile and mount its folder into containers, and
// fail without them. The files are made from the catalogue; there are no libraries among them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "launcher/cluster/catalogue.h"

namespace slipway::cluster {

// Texts by path: a script that sets what the vendor's profile sets, and a note in the folder of the
// libraries. Empty if the machine's transport has no profile.
std::map<std::filesystem::path, std::string> transport_files(const MachineType& machine,
                                                             const Catalogue& catalogue);

}  // namespace slipway::cluster
