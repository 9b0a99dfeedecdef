// The last words of a task: which of the lines that it wrote last say how it ended.
//
// Programs do not end with the line that matters. After it come stack frames, what other threads
// and processes write while they go down, and torchrun's summary, which is the same for all errors.
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
  bool error = false;   // by its form it is how a program reports its end: a Python exception, what
                        // C++ was terminated by, the first line of an MPI library's box, a worker's
                        // end in torchrun's box
  bool exact = false;   // its numbers matter
  bool output = false;  // was written to stdout, where most lines do not matter
};

// Begins a line that was written to stdout.
inline constexpr char stdout_mark = '\x01';

// The lines of `words` that may say something, in their order: without stack frames, borders, and
// the prefixes and colors that srun, mpirun, torch and terminals add.
std::vector<WordLine> lines_of(std::string_view words);

// The last words of a task that has written `out` and `err` last, as few bytes as will do: without
// stack frames, and with what torch has left in `error_file`.
std::string condense(std::string_view out, std::string_view err, std::string_view error_file);

// What torch has left in the file $TORCHELASTIC_ERROR_FILE, as Python would print it; nothing when
// it is not torch's. Under torchrun it is the first error of a worker of the node.
std::string torch_error(std::string_view file);

// Of torchrun's summary: the local rank of the worker that failed first on its node.
std::optional<int64_t> torch_local_rank(std::string_view words);

}  // namespace slipway::job
