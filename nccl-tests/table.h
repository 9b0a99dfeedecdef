// The text table, byte for byte that of nccl-tests 2.19, so that every parser of it works here,
// too.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/measure.h"
#include "nccl-tests/summary.h"

namespace slipway::bandwidth {

// Everything before the first row. `reduced`: the largest size was reduced to fit the memory.
std::string table_header(const Setup& setup, bool reduced = false);

// A GPU's PCI address as nccl-tests prints it: "0000:8d:00" for "0000:8D:00.0". Other texts stay.
std::string short_bus_id(const std::string& bus_id);

// 13 words: size count type redop root, then time algbw busbw #wrong for each placement; with -I 1
// four more for each, with -S 1 the date and the time of day, `now`.
std::string table_row(const Setup& setup, const Row& row, const std::string& now = {});

// Everything after the last row.
std::string table_footer(const Setup& setup, const std::vector<Row>& rows);

// `value` right-aligned in `width`, with up to two decimals if they fit, and as "1e+06" if even its
// integer part is too long.
std::string fit(double value, int width);

}  // namespace slipway::bandwidth
