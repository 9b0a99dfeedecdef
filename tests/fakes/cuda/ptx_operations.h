// The operations of the PTX interpreter.
#pragma once

namespace fake {

enum Operation : int {
  op_none,
  op_mov,
  op_add,
  op_sub,
  op_mul_lo,
  op_mul_wide,
  op_div,
  op_min,
  op_max,
  op_shr,
  op_shl,
  op_and,
  op_or,
  op_xor,
  op_not,
  op_cvt,
  op_cvt_to_32,
  op_mad_lo,
  op_mul_float,
  op_fma_float,
  op_selp,
  op_setp_eq,
  op_setp_ne,
  op_setp_lt,
  op_setp_le,
  op_setp_gt,
  op_setp_ge,
  op_bra,
  op_ret,
  op_ld_param,
  op_ld_global,
  op_st_global,
  op_red_add,
};

}  // namespace fake
