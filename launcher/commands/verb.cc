// Verbs with parts.
#include "launcher/commands/verb.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::commands {

void add_part(CommandLine& line, const Part& part, bool needed) {
  line.part(part.name, describe([&] { part.run({}); }).summary, needed);
}

int run_part(const Verb& verb, Args args) {
  std::vector<std::string> known;
  for (const Part& part : verb.parts) {
    if (!args.empty() && args[0] == part.name) {
      return run_main(verb.name + " " + part.name, [&] { return part.run(args.subspan(1)); });
    }
    known.emplace_back(part.name);
  }
  CommandLine line(verb.name, verb.summary);
  line.about(verb.about);
  for (const Part& part : verb.parts) add_part(line, part, true);
  for (const auto& [text, why] : verb.examples) line.example(text, why);
  std::vector<std::string> words;
  line.rest("", &words, Arity::optional);
  if (!line.parse(args)) return 0;
  if (words.empty()) throw UsageError(fmt::format("name one of: {}", join(known, ", ")));
  const std::string guess = nearest(words[0], known);
  throw UsageError(guess.empty()
                       ? fmt::format("unknown command `{}`; known: {}", words[0], join(known, ", "))
                       : fmt::format("unknown command `{}`; did you mean `{}`?", words[0], guess));
}

}  // namespace slipway::commands
