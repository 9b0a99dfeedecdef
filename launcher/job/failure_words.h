// What failing programs print, and what it means: reads the catalog's failure_words.yaml.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::source {
class Diagnostics;
class Sources;
}  // namespace slipway::source

namespace slipway::job {

// By rising weight: the heaviest of a task's lines decides.
enum class Meaning {
  silence,  // nothing, or what every failing program prints
  peer,     // another task or the network failed; blames nobody
  own,      // matches no pattern
  either,   // the program or its node may be at fault
  program,  // the program is at fault
  node,     // part of the node is broken
};
const char* meaning_name(Meaning meaning);

struct Diagnosis {
  Meaning meaning = Meaning::silence;
  std::string line = {};     // for people
  std::string message = {};  // without details that vary between tasks and runs
};

class FailureWords {
 public:
  struct Pattern {
    Meaning meaning = Meaning::silence;
    std::string match;  // "a*b": a, later b; ignores case
    std::string line;   // a real line that it matches
    std::string seen;   // where that line was seen
    std::string source;
  };

  // A line takes the meaning of the first pattern that it matches. `permanent`: exit statuses after
  // which another attempt is pointless. `vague`: Python exceptions whose type alone says little.
  explicit FailureWords(std::vector<Pattern> patterns = {}, std::set<int> permanent = {},
                        std::set<std::string, std::less<>> vague = {});

  const std::vector<Pattern>& patterns() const { return patterns_; }

  Diagnosis diagnose(std::string_view words) const;

  bool is_permanent(int status) const { return permanent_.contains(status); }

  // Whether two messages are of the same kind. Python exceptions are compared by type, as their
  // texts vary with data, unless the type is vague.
  bool are_alike(const std::string& message, const std::string& other) const;

 private:
  // "status 1: KeyError" of "status 1: KeyError: 'x'"; empty unless the type says enough.
  std::string_view exception_of(const std::string& message) const;
  const Pattern* find(const std::string& line, size_t& at) const;

  std::vector<Pattern> patterns_;
  std::vector<std::vector<std::string>> parts_;  // of each pattern, in lower case
  std::set<int> permanent_;
  std::set<std::string, std::less<>> vague_;
};

// The line without numbers, addresses and times.
std::string message_of(std::string_view line);

// Reads failure_words.yaml in `folder` (<blueprints>/catalogue) into `sources`. Reports errors in
// it to `diagnostics`, which must use the same sources. Throws Error if the file cannot be read.
FailureWords load_failure_words(const std::filesystem::path& folder, source::Sources& sources,
                                source::Diagnostics& diagnostics);

// Reads this installation's catalog. Throws Error with everything that is wrong in it.
FailureWords installed_failure_words();

}  // namespace slipway::job
