// Reading bandwidth.yaml: what collectives have been seen to reach, for the node profiles.
#pragma once

#include <filesystem>

#include "launcher/cluster/catalogue.h"

namespace slipway::cluster {

// Reads bandwidth.yaml of `folder` (<blueprints>/catalogue) into `catalogue`. What is wrong goes to
// `diagnostics`, which must be of the same sources; a row without a source, of a machine or
// transport that the catalogue does not know, or with a figure above what the machine's interfaces
// can carry is an error, and left out. Throws Error when the file cannot be read.
void load_bandwidth(const std::filesystem::path& folder, Catalogue& catalogue,
                    source::Sources& sources, source::Diagnostics& diagnostics);

// The busbw that `nodes` machines of `gpus` each cannot exceed, when each can send, and receive,
// `machine_gb_per_s`. Of all_gather, reduce_scatter and all_reduce, as every machine has to receive
// the others' (n-1)/n once; of alltoall, where every GPU has something else for each other one; of
// the rest, whose busbw is what one machine sends.
double most_busbw_gb_per_s(std::string_view collective, double machine_gb_per_s, int64_t nodes,
                           int64_t gpus);

}  // namespace slipway::cluster
