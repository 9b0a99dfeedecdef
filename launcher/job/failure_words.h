// The last words of failing programs and what they mean: the catalogue's failure_words.yaml.
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

// By rising weight: of a task's lines the heaviest counts.
enum class Meaning {
  silence,  // nothing, or what every failing program says
  peer,     // another task or the network has failed: accuses nobody
  own,      // matches no pattern
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
    std::string match;  // "a*b": a, later b; upper and lower case are the same
    std::string line;   // a real line that it matches
    std::string seen;   // where somebody has seen that line
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

// The line without numbers, addresses and times.
std::string message_of(std::string_view line);

// Reads failure_words.yaml of `folder` (<blueprints>/catalogue) into `sources`. What is wrong in it
// goes to `diagnostics`, which must be of the same sources. Throws Error when the file cannot be
// read.
FailureWords load_failure_words(const std::filesystem::path& folder, source::Sources& sources,
                                source::Diagnostics& diagnostics);

// Those of this installation. Throws Error with all that is wrong in them.
FailureWords installed_failure_words();

}  // namespace slipway::job
