// Reads nhc.conf, the checks of LBNL's Node Health Check, as the script nhc does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slipway::hosts {

struct NhcLine {
  size_t number = 0;               // of its first line, from 1
  std::string target;              // for which nodes: "*", "/^gpu/", "{n[00-15]}"
  std::string check;               // as written: "check_fs_free / 5%"; empty without `||`
  std::vector<std::string> words;  // of the check, without quotes
  bool expands = false;            // has $ or ` outside single quotes: only a shell knows the words
  bool is_compound = false;        // several commands
};

// Without comments and empty lines.
std::vector<NhcLine> read_nhc(const std::string& text);

enum class NhcMatch { yes, no, unknown };

// Whether a check with this target runs on the node: a glob, /a regular expression/ or {a range},
// each perhaps after `!`. Unknown: a program of the site decides, or it is malformed.
NhcMatch matches_nhc(const std::string& node, const std::string& target);

}  // namespace slipway::hosts
