// Finds the place of the cursor in a command line and the candidates for it.
#include "common/completion.h"

#include "common/locale_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway {
namespace {

using Option = CommandDescription::Option;

// Where the cursor is in a command line, after the words before it.
struct Place {
  const CommandDescription& description;
  std::vector<std::string> words = {};  // those without dashes
  const Option* open = nullptr;         // the option whose value is next
  bool in_rest = false;                 // after `--`, or within the rest
};

const Option* find_option(const CommandDescription& description, const std::string& word) {
  for (const Option& option : description.options) {
    if (!option.name.empty() && word == "--" + option.name) return &option;
    if (option.letter != '\0' && word == std::string("-") + option.letter) return &option;
  }
  return nullptr;
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
                              const std::string& current, const std::string& prefix,
                              const CandidateSource& source) {
  const size_t comma = value_name.ends_with(",...") ? current.rfind(',') : std::string::npos;
  const size_t begin = comma == std::string::npos ? 0 : comma + 1;
  std::vector<Candidate> found =
      source(value_name, {place.description.program, place.words, current.substr(begin)});
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

std::vector<Candidate> words(const Place& place, const std::string& current,
                             const CandidateSource& source) {
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
  for (Candidate& one : values(place, first, current, "", source)) found.push_back(std::move(one));
  return found;
}

}  // namespace

std::vector<Candidate> plain_candidates(const std::string& value_name) {
  std::vector<Candidate> found;
  for (const std::string& choice : choices_of(value_name)) found.push_back({choice});
  for (const std::string& kind : kinds_of(value_name)) {
    if (kind == "file" || kind == "blueprint") found.push_back({":file"});
    if (kind == "folder" || kind == "command" || kind == "user") found.push_back({":" + kind});
  }
  return found;
}

std::vector<Candidate> complete(const CommandDescription& description,
                                std::span<const std::string> before, const std::string& current,
                                const CandidateSource& source) {
  Place place{description};
  for (const std::string& word : before) take_word(place, word);
  if (place.open != nullptr) return values(place, place.open->value, current, "", source);
  if (place.in_rest || current.empty() || current[0] != '-') return words(place, current, source);
  const size_t equals = current.find('=');
  if (equals == std::string::npos) return option_names(description);
  const Option* option = find_option(description, current.substr(0, equals));
  if (option == nullptr) return {};
  return values(place, option->value, current.substr(equals + 1), current.substr(0, equals + 1),
                source);
}

void print_candidates(const std::vector<Candidate>& candidates, const std::string& current) {
  for (const Candidate& one : candidates) {
    if (!one.text.starts_with(current) && !one.text.starts_with(':')) continue;
    fmt::print("{}{}{}\n", one.text, one.about.empty() ? "" : "\t", for_locale(one.about));
  }
}

}  // namespace slipway
