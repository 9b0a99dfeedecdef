// What failing programs say, and whom it accuses: the catalogue's failure_words.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::source {
class Diagnostics;
class Sources;
}  // namespace slipway::source

namespace slipway::job {

// By rising weight: of what one task says the heaviest counts.
enum class Meaning {
  silence,  // it says nothing, or what all that fail say
  peer,     // that another task or the network has failed: accuses nobody
  own,      // something that no pattern knows
  either,   // the program may have done it, or the node that it ran on
  program,  // the program is wrong
  node,     // a part of the node that it ran on is broken
};
const char* meaning_name(Meaning meaning);

struct Saying {
  Meaning meaning = Meaning::silence;
  std::string line = {};     // for people
  std::string message = {};  // without what differs between tasks and runs
};

class FailureWords {
 public:
  struct Pattern {
    Meaning meaning = Meaning::silence;
    std::string match;  // "a*b": a, and b behind it; upper and lower case are one
    std::string line;   // somebody has seen it
    std::string seen;   // where
    std::string source;
  };

  // The first pattern that a line matches counts.
  explicit FailureWords(std::vector<Pattern> patterns = {});

  const std::vector<Pattern>& patterns() const { return patterns_; }

  Saying saying_of(std::string_view words) const;

 private:
  const Pattern* find(const std::string& line, size_t& at) const;

  std::vector<Pattern> patterns_;
  std::vector<std::vector<std::string>> parts_;  // of each pattern, in lower case
};

// Numbers, addresses and times taken out of it.
std::string message_of(std::string_view line);

// Reads failure_words.yaml of `folder` (<blueprints>/catalogue) into `sources`. What is wrong in it
// goes to `diagnostics`, which must be of the same sources. Throws Error when the file cannot be
// read.
FailureWords load_failure_words(const std::filesystem::path& folder, source::Sources& sources,
                                source::Diagnostics& diagnostics);

// Those of this installation. Throws Error with all that is wrong in them.
FailureWords installed_failure_words();

}  // namespace slipway::job
