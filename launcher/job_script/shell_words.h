// Where the words of a shell script end.
#pragma once

#include <cstddef>
#include <string_view>

namespace slipway::job_script {

// The end of the word that begins at `at`: quotes, substitutions and expansions are part of it.
// npos if something in it is not closed.
size_t end_of_word(std::string_view text, size_t at);

// `at` is at the `$` of an expansion, or at a backtick: its end, or npos. A `$` alone is one byte.
size_t end_of_expansion(std::string_view text, size_t at);

// `at` is at a quote: past the one that closes it, or npos.
size_t end_of_quotes(std::string_view text, size_t at);

// `at` is past an opening parenthesis: past the one that closes it, or npos.
size_t end_of_parentheses(std::string_view text, size_t at);

}  // namespace slipway::job_script
