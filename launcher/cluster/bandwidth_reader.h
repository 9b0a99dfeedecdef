// Reads bandwidth.yaml: the bandwidth that collectives should reach, for the node profiles.
#pragma once

#include <filesystem>

#include "launcher/cluster/catalogue.h"

namespace slipway::cluster {

// Reads bandwidth.yaml of `folder` (<blueprints>/catalogue) into `catalogue`. Problems go to
// `diagnostics`, which must use the same sources. A row is an error and left out if it has no
// source, names a machine type or transport that the catalogue does not know, or has a figure above
// what the machine's interfaces can carry, or a transport although it is about one node. Throws Error if the file cannot be read.
void load_bandwidth(const std::filesystem::path& folder, Catalogue& catalogue,
                    source::Sources& sources, source::Diagnostics& diagnostics);

// The highest possible busbw of `nodes` machines with `gpus` GPUs each, if each machine can send,
// and also receive, `machine_gb_per_s`. For all_gather, reduce_scatter and all_reduce every machine
// has to receive the others' (n-1)/n once; in alltoall every GPU has different data for each other
// GPU; for the rest, busbw is what one machine sends.
double most_busbw_gb_per_s(std::string_view collective, double machine_gb_per_s, int64_t nodes,
                           int64_t gpus);

}  // namespace slipway::cluster
