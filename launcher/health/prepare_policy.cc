// A build step: reads the catalog's health policy and writes it in a form that loads fast, as
// `prepare_policy CATALOGUE FILE`. An error in health.yaml fails the build.
#include <cstdio>

#include "common/command_line.h"
#include "common/file.h"
#include "launcher/health/prepared_policy.h"

using namespace slipway;

namespace {

int prepare(const std::filesystem::path& catalogue, const std::string& file) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span text = sources.add_file(catalogue / "health.yaml");
  const health::Policy policy = health::read_policy(text, sources, diagnostics);
  std::fputs(render(diagnostics, source::color_for(2)).c_str(), stderr);
  if (diagnostics.errors() + diagnostics.warnings() > 0) return 1;
  write_file(file, health::prepare_policy(policy, sources.text(text)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return run_main("prepare_policy", [&args] {
    std::string catalogue, file;
    CommandLine line("prepare_policy",
                     "Prepare the health policy for reading: a part of the build.");
    line.positional("CATALOGUE", &catalogue);
    line.positional("FILE", &file);
    return line.parse(args) ? prepare(catalogue, file) : 0;
  });
}
