// The #SBATCH lines of a script, read as sbatch reads them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::job_script {

// A word with its place in the script, in bytes. Quotes and escapes are in the place, not in the
// text.
struct HeaderWord {
  std::string text;
  size_t begin = 0, end = 0;
};

struct Header {
  std::vector<HeaderWord> words;             // of a heterogeneous job, only the first component's
  std::optional<HeaderWord> next_component;  // the separator before the second component
  size_t end = 0;                            // the offset of the first command
};

// The words of all #SBATCH lines before the first command, with sbatch's quotes, escapes and
// comments. An unclosed quote ends its line: sbatch does not accept such a script.
Header read_header(std::string_view script);

}  // namespace slipway::job_script
