// `slipway __complete`: what the shells' completion asks for (common/completion.h). It is hidden
// from `slipway help`.
#include <algorithm>
#include <exception>

#include "common/error.h"
#include "launcher/commands/candidates.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {
namespace {

bool is_part(const CommandDescription& description, const std::string& word) {
  return std::any_of(description.parts.begin(), description.parts.end(),
                     [&](const auto& part) { return part.name == word; });
}

// Follows the parts that the words name: `node`, `transport`. The words that are left stay.
CommandDescription follow_parts(const Command& command, std::vector<std::string>& words) {
  std::vector<std::string> parts;
  CommandDescription description = description_of(command);
  while (!words.empty() && is_part(description, words.front())) {
    parts.push_back(words.front());
    words.erase(words.begin());
    description = description_of(command, parts);
  }
  return description;
}

std::vector<Candidate> verbs() {
  std::vector<Candidate> found;
  for (const Command& command : table()) {
    found.push_back({command.name, description_of(command).summary});
  }
  return found;
}

std::vector<Candidate> complete(std::vector<std::string> typed, const std::string& current) {
  if (typed.empty()) return verbs();
  if (typed[0] == "help") {
    typed.erase(typed.begin());
    if (typed.empty()) return verbs();
  }
  const Command& command = find_command(typed[0]);
  typed.erase(typed.begin());
  const CommandDescription description = follow_parts(command, typed);
  return slipway::complete(description, typed, current, candidates);
}

}  // namespace

int complete(Args args) try {
  if (args.empty()) return 0;
  const std::string current = args.back();
  std::vector<std::string> before(args.begin(), args.end() - 1);
  print_candidates(complete(std::move(before), current), current);
  return 0;
} catch (const std::exception&) {
  return 0;  // a message would end up on the command line that the user is typing
}

}  // namespace slipway::commands
