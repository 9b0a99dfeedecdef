// What the lines of an nhc.conf become: a policy of `slipway health`, checks that run anyway, or
// nothing, with the reason.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/health/policy.h"
#include "launcher/hosts/nhc_table.h"

namespace slipway::hosts {

enum class NhcFate {
  checked,     // all of the line
  in_part,     // and the text says what is lost
  uncovered,   // and the text says why
  setting,     // of NHC itself
  other_node,  // the line is for other nodes
};

struct NhcAnswer {
  size_t line = 0;
  std::string check;  // as written
  NhcFate fate = NhcFate::uncovered;
  std::string text;  // "`mounts`: mount-missing, mount-read-only; not its type"
};

// An entry of a policy's list, and the lines that want it.
struct NhcEntry {
  std::string value;
  std::vector<size_t> lines;
};

struct NhcTranslation {
  std::vector<NhcAnswer> answers;                      // in the file's order
  std::map<std::string, std::vector<NhcEntry>> lists;  // by key of a policy

  size_t count(NhcFate fate) const;
};

// As on a node with this host name.
NhcTranslation translate_nhc(const std::string& text, const NhcTable& table,
                             const std::string& node);

// The policy file that it becomes, in YAML. Lists of a policy replace ours, so they begin with
// what `ours` has.
std::string policy_of_nhc(const NhcTranslation& translation, const health::Policy& ours);

}  // namespace slipway::hosts
