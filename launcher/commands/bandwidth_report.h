// How `slipway bandwidth history` shows what it finds.
#pragma once

#include <string>
#include <vector>

#include "launcher/commands/page.h"
#include "launcher/history/trend.h"

namespace slipway::commands {

std::string trends_text(const std::vector<history::Trend>& trends, const Paint& paint);
std::string trends_json(const std::vector<history::Trend>& trends);
std::string trends_page(const std::vector<history::Trend>& trends);

// A plot of a trend as SVG: the bandwidth of its largest sizes over the runs, and where versions
// changed.
std::string trend_plot(const history::Trend& trend);

// "8 GiB", "1.5 KiB"
std::string size_text(int64_t bytes);
// "2026-11-21 08:15" of "2026-11-21T08:15:29Z"
std::string minute_text(const std::string& started);
// "all_gather on 2 nodes of quickstart"
std::string title_of(const history::Trend& trend);
// "8 GiB, float, out of place"
std::string name_of(const history::Series& series);

}  // namespace slipway::commands
