// The program bandwidth_plot: draws one or two reports of the bandwidth tests as SVG or PNG.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "nccl-tests/plot.h"
#include "nccl-tests/programs.h"
#include "nccl-tests/run.h"

namespace slipway::bandwidth {
namespace {

constexpr const char* plot_program = "bandwidth_plot";

// An SVG picture in a file called .jpg opens nowhere.
void require_known_format(const std::filesystem::path& output) {
  const std::string extension = output.extension();
  if (output.empty() || extension.empty() || extension == ".svg" || extension == ".png") return;
  throw UsageError(fmt::format("--output is `{}`, but pictures are SVG or PNG: name it `{}`",
                               output.string(),
                               std::filesystem::path(output).replace_extension(".svg").string()));
}

}  // namespace

int plot_main(const std::vector<std::string>& args) try {
  std::string first, second, output;
  CommandLine line(plot_program,
                   "Draw the bandwidth of one or two reports over size, as SVG or PNG.");
  line.about(
      "There is a line for each report and placement, a band for the interval of the median, and "
      "a dashed line for the bandwidth that the machine type is expected to have.");
  line.option("output,o", "FILE", "write it to this file; one that ends in .png needs rsvg-convert",
              &output, "stdout");
  line.positional("REPORT", &first);
  line.positional("OTHER", &second, Arity::optional);
  line.example("bandwidth_plot now.json -o now.svg", "draw one run");
  line.example("bandwidth_plot before.json after.json -o both.svg", "draw two in one picture");
  line.exit_status("3", "a report cannot be read");
  line.exit_status("1", "not used");
  line.see_also("bandwidth_compare(1)");
  if (!line.parse(args)) return exit_pass;
  require_known_format(output);
  std::vector<ReadReport> reports = {read_report(first)};
  if (!second.empty()) reports.push_back(read_report(second));
  const std::string svg = plot(reports);
  if (output.empty()) {
    fmt::print("{}", svg);
  } else {
    const bool png = std::filesystem::path(output).extension() == ".png";
    write_file(output, png ? to_png(svg) : svg);
  }
  return exit_pass;
} catch (const UsageError& error) {
  fmt::print(stderr, "{}: {}\nTry `{} --help`.\n", plot_program, error.what(), plot_program);
  return exit_usage;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}: {}\n", plot_program, error.what());
  return exit_could_not_run;
}

}  // namespace slipway::bandwidth
