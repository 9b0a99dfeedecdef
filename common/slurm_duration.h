// Lengths of time as Slurm reads and writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway {

// The seconds of "90" (minutes), "10:00" (minutes and seconds), "1:30:00", "2-12" (days and hours),
// "1-02:03:04"; 0 for UNLIMITED, INFINITE and -1. Nothing for another text. As in sbatch(1),
// --time.
std::optional<int64_t> slurm_duration(std::string_view text);

}  // namespace slipway
