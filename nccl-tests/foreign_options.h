// Options that nccl-tests' relatives have, and that scripts pass by mistake.
#pragma once

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

// nccl-tests' -x, for which rccl-tests has another meaning: a file. Throws UsageError.
int parse_cta_policy(const std::string& text);

}  // namespace slipway::bandwidth
