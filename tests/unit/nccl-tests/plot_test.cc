#include "nccl-tests/plot.h"

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/variable.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

MeasuredRow plotted_row(int64_t size_bytes) {
  Measured one;
  one.placement = "out of place";
  one.busbw_gb_per_s = 10;
  one.median_us = 5;
  MeasuredRow row;
  row.size_bytes = size_bytes;
  row.datatype = "float";
  row.placements = {one, one};
  return row;
}

}  // namespace

TEST_CASE("plot: the first and the last size have a label") {
  const std::pair<int64_t, std::string> sizes[] = {
      {int64_t{1} << 22, "4M"}, {int64_t{1} << 33, "8G"}, {int64_t{1} << 34, "16G"}};
  for (const auto& [last, name] : sizes) {
    ReadReport wide;
    wide.name = "wide.json";
    wide.collective = "all_gather";
    wide.rows = {plotted_row(8), plotted_row(last)};
    const std::string svg = plot({wide});
    CHECK_THAT(svg, ContainsSubstring(">8</text>"));
    CHECK_THAT(svg, ContainsSubstring(">" + name + "</text>"));
  }
}

TEST_CASE("plot: a wide interval is clipped, marked, and leaves the lines their height") {
  ReadReport noisy;
  noisy.name = "noisy.json";
  noisy.collective = "all_gather";
  noisy.rows = {plotted_row(1024), plotted_row(1 << 20)};
  const std::string even = plot({noisy});
  CHECK_THAT(even, !ContainsSubstring("beyond") && !ContainsSubstring("triangle"));
  auto widen = [&](double low_us, double high_us) {
    for (Measured& one : noisy.rows[0].placements) one.interval_us = {low_us, high_us};
    return plot({noisy});
  };
  // From 8 to 12 GB/s: drawn in full.
  CHECK_THAT(widen(5.0 * 10 / 12, 5.0 * 10 / 8), !ContainsSubstring("beyond"));
  // From 0.01 to 12 GB/s: the axis ends at half of the least median.
  const std::string below = widen(5.0 * 10 / 12, 5000);
  CHECK_THAT(below, ContainsSubstring("class=\"beyond\""));
  CHECK_THAT(below, ContainsSubstring("triangle: the interval continues"));
  CHECK_THAT(below, ContainsSubstring(">5</text>") && !ContainsSubstring(">2</text>"));
  // From 0.01 to 5000 GB/s: at both ends, of both placements.
  const std::string both = widen(0.01, 5000);
  size_t marks = 0;
  for (size_t at = 0; (at = both.find("class=\"beyond\"", at)) != both.npos; ++at) ++marks;
  CHECK(marks == 4);
  CHECK_THAT(both, !ContainsSubstring(">50</text>") && ContainsSubstring(">20</text>"));
}

TEST_CASE("plot: PNG comes from rsvg-convert, or a message says what to install") {
  const TemporaryDirectory folder;
  const Variable path("PATH", folder.path().c_str());
  CHECK_THROWS_WITH(to_png("<svg/>"), ContainsSubstring("apt install librsvg2-bin"));
  write_file(folder / "rsvg-convert", "#!/bin/sh\nprintf 'PNG %s ' \"$1\"; exec /bin/cat\n", 0755);
  CHECK(to_png("<svg/>") == "PNG --format=png <svg/>");
  write_file(folder / "rsvg-convert", "#!/bin/sh\necho broken >&2; exit 1\n", 0755);
  CHECK_THROWS_WITH(to_png("<svg/>"), ContainsSubstring("broken"));
}
