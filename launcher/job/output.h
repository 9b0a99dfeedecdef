// Writes the tasks' output to the launcher's own stdout and stderr, in whole lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "launcher/job/async_writer.h"

namespace slipway::job {

class Output {
 public:
  // `label`: prefix each line with its rank, like srun --label.
  Output(AsyncWriter& async, bool label) : async_(async), label_(label) {}

  void put(int64_t rank, int stream, const std::string& bytes);
  // Writes lines that have no end yet.
  void put_rest();

 private:
  void write(int64_t rank, int stream, std::string lines);

  AsyncWriter& async_;
  bool label_;
  std::map<std::pair<int64_t, int>, std::string> begun_;  // by rank and stream
};

}  // namespace slipway::job
