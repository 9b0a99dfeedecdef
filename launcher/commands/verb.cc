// Verbs that have parts.
#include "launcher/commands/verb.h"

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/error.h"
#include "common/text.h"

namespace slipway::commands {

int run_part(const Verb& verb, Args args) {
  std::string what = args.empty() ? "" : args[0];
  std::vector<std::string> known;
  for (const Part& part : verb.parts) {
    if (what == part.name) {
      return run_main(verb.name + " " + what, [&] { return part.run(args.subspan(1)); });
    }
    known.emplace_back(part.name);
  }
  CommandLine line(verb.name, join(known, "|") + " [options]", verb.about);
  line.positional("PART", &what);
  for (const auto& [text, why] : verb.examples) line.example(text, why);
  if (!line.parse(args)) return 0;
  throw UsageError(fmt::format("unknown part `{}`; known: {}", what, join(known, ", ")));
}

}  // namespace slipway::commands
