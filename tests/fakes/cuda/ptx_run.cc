// Runs the threads of a kernel, one after another.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/cuda/ptx.h"
#include "tests/fakes/cuda/ptx_operations.h"

namespace fake {
namespace {

uint64_t cut(uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

float as_float(uint64_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value));
}

uint64_t bits_of_float(float value) {
  return std::bit_cast<uint32_t>(value);
}

// Most accesses follow each other, so the last allocation found is tried first.
struct Window {
  const std::byte* from = nullptr;
  std::byte* mirror = nullptr;
  size_t bytes = 0;

  std::byte* at(uint64_t address, size_t size) {
    const auto* const pointer = reinterpret_cast<const std::byte*>(address);
    if (pointer >= from && pointer + size <= from + bytes) return mirror + (pointer - from);
    std::byte* const found = reach(pointer, size);
    // Only these bytes are known to be there; grow the window where the memory continues.
    if (found == nullptr) return nullptr;
    from = pointer;
    mirror = found;
    bytes = size;
    for (size_t more = size_t{1} << 20; more > size; more /= 2) {
      if (reach(pointer, more) != nullptr) {
        bytes = more;
        break;
      }
    }
    return found;
  }
};

class Thread {
 public:
  Thread(const Kernel& kernel, const std::vector<uint64_t>& parameters, Window (&windows)[3])
      : kernel_(kernel),
        parameters_(parameters),
        windows_(windows),
        registers_(static_cast<size_t>(kernel.registers)) {}

  int run(uint32_t thread, uint32_t block, Grid grid) {
    special_[0] = thread;
    special_[1] = grid.threads;
    special_[2] = block;
    special_[3] = grid.blocks;
    for (size_t at = 0; at < kernel_.instructions.size();) {
      const Instruction& one = kernel_.instructions[at++];
      ++executed_;
      if (one.guard >= 0 && (registers_[static_cast<size_t>(one.guard)] != 0) != one.guard_wanted)
        continue;
      if (one.code == op_ret) return ok;
      if (one.code == op_bra) {
        at = static_cast<size_t>(one.target);
        continue;
      }
      if (one.code >= op_ld_param) {
        if (!access(one)) return illegal_address;
        continue;
      }
      put(one, calculate(one));
    }
    return ok;
  }

  uint64_t executed() const { return executed_; }

 private:
  uint64_t get(const Instruction& one, size_t i) const {
    const int operand = one.operands[i];
    if (operand >= 0) return registers_[static_cast<size_t>(operand)];
    if (operand <= -100) return one.constants[static_cast<size_t>(-100 - operand)];
    return special_[-2 - operand];
  }
  void put(const Instruction& one, uint64_t value) {
    registers_[static_cast<size_t>(one.operands[0])] = value;
  }

  uint64_t calculate(const Instruction& one) const {
    const uint64_t a = cut(get(one, 1), one.bits);
    const uint64_t b = one.operands.size() > 2 ? cut(get(one, 2), one.bits) : 0;
    switch (one.code) {
      case op_mov:
      case op_cvt:
        return a;
      case op_cvt_to_32:
        return cut(a, 32);
      case op_add:
        return cut(a + b, one.bits);
      case op_sub:
        return cut(a - b, one.bits);
      case op_mul_lo:
        return cut(a * b, one.bits);
      case op_mul_wide:
        return a * b;  // of 32 bits: the types of 64 have no wider one
      case op_mad_lo:
        return cut(a * b + get(one, 3), one.bits);
      case op_mul_float:
        return bits_of_float(as_float(a) * as_float(b));
      case op_fma_float:
        return bits_of_float(std::fmaf(as_float(a), as_float(b), as_float(get(one, 3))));
      case op_div:
        return b == 0 ? cut(~uint64_t{0}, one.bits) : a / b;
      case op_min:
        return std::min(a, b);
      case op_max:
        return std::max(a, b);
      // The count has 32 bits, and the result is 0 if it is too large.
      case op_shr:
        return cut(get(one, 2), 32) >= static_cast<uint64_t>(one.bits) ? 0
                                                                       : a >> cut(get(one, 2), 32);
      case op_shl:
        return cut(get(one, 2), 32) >= static_cast<uint64_t>(one.bits)
                   ? 0
                   : cut(a << cut(get(one, 2), 32), one.bits);
      default:
        return calculate_bits(one, a, b);
    }
  }

  uint64_t calculate_bits(const Instruction& one, uint64_t a, uint64_t b) const {
    switch (one.code) {
      case op_and:
        return a & b;
      case op_or:
        return a | b;
      case op_xor:
        return a ^ b;
      case op_not:
        return cut(~a, one.bits);
      case op_selp:
        return get(one, 3) != 0 ? a : b;
      case op_setp_eq:
        return a == b ? 1 : 0;
      case op_setp_ne:
        return a != b ? 1 : 0;
      case op_setp_lt:
        return a < b ? 1 : 0;
      case op_setp_le:
        return a <= b ? 1 : 0;
      case op_setp_gt:
        return a > b ? 1 : 0;
      default:
        return a >= b ? 1 : 0;
    }
  }

  // Loads and stores. An address must be aligned to the size of the access.
  bool access(const Instruction& one) {
    if (one.code == op_ld_param) {
      put(one, parameters_[static_cast<size_t>(one.target)]);
      return true;
    }
    const auto size = static_cast<size_t>(one.bits / 8);
    const bool loads = one.code == op_ld_global;
    const uint64_t address = get(one, loads ? 1 : 0);
    std::byte* const at = windows_[one.code - op_ld_global].at(address, size);
    if (at == nullptr || address % size != 0) return false;
    uint64_t value = 0;
    if (one.code != op_st_global) std::memcpy(&value, at, size);
    if (loads) {
      put(one, value);
      return true;
    }
    value = one.code == op_red_add ? value + get(one, 1) : get(one, 1);
    std::memcpy(at, &value, size);
    return true;
  }

  const Kernel& kernel_;
  const std::vector<uint64_t>& parameters_;
  Window (&windows_)[3];
  std::vector<uint64_t> registers_;
  uint64_t special_[4] = {};
  uint64_t executed_ = 0;
};

}  // namespace

int run(const Kernel& kernel, Grid grid, const std::vector<uint64_t>& parameters,
        uint64_t& executed) {
  Window windows[3];  // for loads, stores and sums
  Thread one(kernel, parameters, windows);
  for (uint32_t block = 0; block < grid.blocks; ++block) {
    for (uint32_t thread = 0; thread < grid.threads; ++thread) {
      const int status = one.run(thread, block, grid);
      executed = one.executed();
      if (status != ok) return status;
    }
  }
  return ok;
}

}  // namespace fake
