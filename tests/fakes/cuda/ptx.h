// An interpreter of the part of PTX that the project's kernels use, so that they run without a GPU.
//
// PTX ISA 8: https://docs.nvidia.com/cuda/parallel-thread-execution. An instruction, a type or an
// operand that it does not know makes the module invalid, as a mistake does in the real assembler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fake {

struct Instruction {
  std::string name;  // "add"
  std::string type;  // "u64"
  std::string how;   // what is between: "lo", "ge", "wide"
  int guard = -1;    // the predicate that must be true (or false) for it to run
  bool guard_wanted = true;
  std::vector<int> operands;  // registers, first the one written
  std::vector<uint64_t> constants;
  int64_t target = -1;  // of a branch; of ld.param: the parameter
  int code = 0;         // the operation, decoded once
  int bits = 64;
};

struct Kernel {
  std::string name;
  std::vector<int> parameter_bytes;
  std::vector<Instruction> instructions;
  int registers = 0;
};

// Throws std::runtime_error with the line that it does not understand.
std::map<std::string, Kernel> parse_ptx(const std::string& text);

struct Grid {
  uint32_t blocks = 1;
  uint32_t threads = 1;
};

// Runs every thread of the grid, one after another, and adds their instructions to `executed`.
// Returns `illegal_address` at an access outside of device memory.
int run(const Kernel& kernel, Grid grid, const std::vector<uint64_t>& parameters,
        uint64_t& executed);

}  // namespace fake
