// Recognizes the variables that a task got from us.
#include "spank-plugins/container/ours.h"

#include <utility>
#include <vector>

#include "common/text.h"

namespace slipway::container {

std::string list_of_ours(const Environment& ours) {
  std::vector<std::string> words;
  for (const auto& [name, value] : ours) words.push_back(name + "=" + value);
  return join(words, " ");
}

Environment without_ours(Environment environment) {
  const auto marker = environment.find(ours_marker);
  if (marker == environment.end()) return environment;
  for (const std::string& word : split(std::string(marker->second), ' ')) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const auto found = environment.find(word.substr(0, equals));
    const bool same = found != environment.end() && found->second == word.substr(equals + 1);
    if (same) environment.erase(found);
  }
  return environment;
}

}  // namespace slipway::container
