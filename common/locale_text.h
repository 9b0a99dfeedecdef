// Text for people in what the locale can show: UTF-8, or ASCII alone.
//
// Text is UTF-8 everywhere in the programs, and so are files and data (JSON, YAML, SVG) on stdout.
// Text for people passes through here on its way out.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// False if the user's locale (LC_ALL, LC_CTYPE or LANG) has another character set than UTF-8, such
// as `C`. True without any of these variables: containers and services have none, and what shows
// their output takes UTF-8.
bool locale_has_utf8();

// "->" for an arrow, "..." for an ellipsis, "|" for a line of a tree, and so on; "?" for each
// character that has no such spelling, and for each byte that is not UTF-8.
std::string ascii(std::string_view text);

// `text` as the locale can show it.
std::string for_locale(std::string text);

// Text that a user of the cluster has chosen, such as a job's name, on one line: `?` for each
// control character but tabs, which a terminal could take for a command.
std::string without_controls(std::string_view text);

// What ends or begins text that was cut.
std::string_view ellipsis();

// From now on, whatever this process writes to `stderr` is as the locale can show it.
void limit_stderr_to_locale();

}  // namespace slipway
