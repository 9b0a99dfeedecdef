// `slipway __complete`: what the shells' completion asks for. It is hidden from `slipway help`.
//
//   slipway __complete WORD... CURRENT
//
// has the words after `slipway` up to the cursor; the last one may be empty. Each line of the
// answer is a candidate for it, with a tab and a description where there is one. `:file`,
// `:folder`,
// `:command` and `:user` ask the shell to add its own candidates.
#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "common/error.h"
#include "common/text.h"
#include "launcher/commands/candidates.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {
namespace {

using Option = CommandDescription::Option;

// Where the cursor is in a command line, after the words before it.
struct Place {
  CommandDescription description;
  std::vector<std::string> words;  // those without dashes
  const Option* open = nullptr;    // the option whose value is next
  bool in_rest = false;            // after `--`, or within the rest
};

const Option* find_option(const CommandDescription& description, const std::string& word) {
  for (const Option& option : description.options) {
    if (!option.name.empty() && word == "--" + option.name) return &option;
    if (option.letter != '\0' && word == std::string("-") + option.letter) return &option;
  }
  return nullptr;
}

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

void take_word(Place& place, const std::string& word) {
  if (place.in_rest) {
    place.words.push_back(word);
  } else if (place.open != nullptr) {
    place.open = nullptr;
  } else if (word == "--") {
    place.in_rest = true;
  } else if (word.size() > 1 && word[0] == '-') {
    const Option* option = find_option(place.description, word);
    if (option != nullptr && !option->value.empty()) place.open = option;
  } else {
    place.words.push_back(word);
    place.in_rest =
        !place.description.rest.empty() && place.words.size() > place.description.words.size();
  }
}

// Of `--only a,b`: those of the last element, with what is before it.
std::vector<Candidate> values(const Place& place, const std::string& value_name,
                              const std::string& current, const std::string& prefix) {
  const size_t comma = value_name.ends_with(",...") ? current.rfind(',') : std::string::npos;
  const size_t begin = comma == std::string::npos ? 0 : comma + 1;
  std::vector<Candidate> found =
      candidates(value_name, {place.description.program, place.words, current.substr(begin)});
  for (Candidate& one : found) {
    if (!one.text.starts_with(':')) one.text = prefix + current.substr(0, begin) + one.text;
  }
  return found;
}

std::vector<Candidate> option_names(const CommandDescription& description) {
  std::vector<Candidate> found;
  for (const Option& option : description.options) {
    if (option.hidden) continue;
    found.push_back(
        {option.name.empty() ? std::string("-") + option.letter : "--" + option.name, option.help});
  }
  return found;
}

std::vector<Candidate> words(const Place& place, const std::string& current) {
  std::vector<Candidate> found;
  if (place.words.empty()) {
    for (const auto& part : place.description.parts) found.push_back({part.name, part.text});
  }
  std::string name = place.description.rest;
  if (place.words.size() < place.description.words.size()) {
    name = place.description.words[place.words.size()].name;
  }
  // The command's own arguments are files, as far as we know.
  if (place.words.size() > place.description.words.size() && name.starts_with("COMMAND"))
    name = "FILE";
  const std::string first = name.substr(0, name.find(' '));
  for (Candidate& one : values(place, first, current, "")) found.push_back(std::move(one));
  return found;
}

std::vector<Candidate> at(const Place& place, const std::string& current) {
  if (place.open != nullptr) return values(place, place.open->value, current, "");
  if (place.in_rest || current.empty() || current[0] != '-') return words(place, current);
  const size_t equals = current.find('=');
  if (equals == std::string::npos) return option_names(place.description);
  const Option* option = find_option(place.description, current.substr(0, equals));
  if (option == nullptr) return {};
  return values(place, option->value, current.substr(equals + 1), current.substr(0, equals + 1));
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
  Place place{follow_parts(command, typed), {}, nullptr, false};
  for (const std::string& word : typed) take_word(place, word);
  return at(place, current);
}

}  // namespace

int complete(Args args) try {
  if (args.empty()) return 0;
  const std::string current = args.back();
  std::vector<std::string> before(args.begin(), args.end() - 1);
  for (const Candidate& one : complete(std::move(before), current)) {
    if (!one.text.starts_with(current) && !one.text.starts_with(':')) continue;
    fmt::print("{}{}{}\n", one.text, one.about.empty() ? "" : "\t", one.about);
  }
  return 0;
} catch (const std::exception&) {
  return 0;  // a message would end up on the command line that the user is typing
}

}  // namespace slipway::commands
