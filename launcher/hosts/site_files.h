// Our lines in a site's own files: between two marks, so that they can be taken out again and all
// other bytes stay.
#pragma once

#include <string>

namespace slipway::hosts {

// Whether the file was there before us: an empty file of the site's own stays when we leave.
enum class Origin { site, ours };

// `text` with `lines` (each with a line feed) between the marks: in place of those that are there,
// or at the end. Without `lines`, also without the marks: what was there before. The marks keep the
// origin of a file that has them.
std::string with_our_lines(const std::string& text, const std::string& lines,
                           Origin origin = Origin::site);

// Whether the marks say that we made the file.
bool is_made_by_us(const std::string& text);

// `text` without our lines and marks: what the site itself has written.
std::string without_our_lines(const std::string& text);

// The difference as `diff -u` shows one change; empty if there is none.
std::string difference(const std::string& name, const std::string& before,
                       const std::string& after);

}  // namespace slipway::hosts
