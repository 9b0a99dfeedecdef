// The GPU's part of checked runs: kernels that write and compare patterns (pattern.h), as PTX.
//
// `words` takes (buffer, bytes, block_bytes, hash of the seed + 1, stream, step, flip,
// element_bytes, wrong), `table` takes (buffer, elements, log2 of element_bytes, table, mask,
// start, first, flip, tolerance, wrong); all are 64-bit numbers. `wrong` is 0 to write, or the
// address of a 64-bit sum to which the number of wrong elements is added. Any grid works: each
// thread strides by the grid.
#pragma once

namespace slipway::bandwidth {

extern const char* const check_kernels;

}  // namespace slipway::bandwidth
