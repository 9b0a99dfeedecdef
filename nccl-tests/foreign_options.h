// Options that nccl-tests' relatives have, and that scripts pass by mistake.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/command_line.h"

namespace slipway::bandwidth {

// Declares these options without showing them. They are refused with what to write instead.
class ForeignOptions {
 public:
  void declare(CommandLine& line);
  // Throws UsageError if one was given.
  void refuse() const;

 private:
  std::vector<std::string> given_;
  bool json_ = false;
};

// Throws UsageError if a word after the program's name is a variable, as in
// `all_reduce_perf -b 8 NCCL_PROTO=LL`: nccl-tests ignores it silently.
void refuse_variables(std::span<const std::string> args);

// A message about the command line, with what to write where nccl-tests takes what we refuse.
std::string with_advice(const std::string& complaint);

// nccl-tests' -x, for which rccl-tests has another meaning: a file. Throws UsageError.
int parse_cta_policy(const std::string& text);

}  // namespace slipway::bandwidth
