// Finds the lines of a task's output that explain how it ended.
//
// Those are rarely the last lines. Stack frames follow them, the output of other threads and
// processes as they go down, and torchrun's summary, which is the same for all errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::job {

struct WordLine {
  std::string text;
  bool error = false;   // has the form of a final error: a Python exception, the reason of C++'s
                        // terminate(), the first line of an MPI library's box, a worker's end in
                        // torchrun's box
  bool exact = false;   // its numbers are significant
  bool output = false;  // written to stdout, where most lines are irrelevant
};

// Begins a line that was written to stdout.
inline constexpr char stdout_mark = '\x01';

// The lines of `words` that may explain the end, in order: without stack frames, borders, and the
// prefixes and colors that srun, mpirun, torch and terminals add.
std::vector<WordLine> lines_of(std::string_view words);

// Condenses the last output of a task (`out` and `err`) into few bytes: without stack frames, and
// with the error that torch left in `error_file`.
std::string condense(std::string_view out, std::string_view err, std::string_view error_file);

// The error that torch left in the file $TORCHELASTIC_ERROR_FILE, as Python would print it; empty
// if torch did not write the file. Under torchrun, the first error of any worker on the node.
std::string torch_error(std::string_view file);

// Reads torchrun's summary: the local rank of the worker that failed first on its node.
std::optional<int64_t> torch_local_rank(std::string_view words);

}  // namespace slipway::job
