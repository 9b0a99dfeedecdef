// The GPU's part of checked runs, as PTX: docs/decisions/0057-checks-on-the-gpu.md says why.
#include "nccl-tests/check_kernels.h"

#include <string>

namespace slipway::bandwidth {

namespace {

// What the kernels have in common, as they name their registers.

// %at becomes the number of this thread in the grid.
const std::string ptx_place = R"ptx(  mov.u32 %block_id, %ctaid.x;
  mov.u32 %block_size, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %at, %block_id, %block_size;
  cvt.u64.u32 %t, %thread;
  add.u64 %at, %at, %t;
)ptx";

// The end of a hash (splitmix64): mixes the bits of %t.
const std::string ptx_mix = R"ptx(  shr.u64 %u, %t, 30;
  xor.b64 %t, %t, %u;
  mul.lo.u64 %t, %t, 0xbf58476d1ce4e5b9;
  shr.u64 %u, %t, 27;
  xor.b64 %t, %t, %u;
  mul.lo.u64 %t, %t, 0x94d049bb133111eb;
  shr.u64 %u, %t, 31;
  xor.b64 %t, %t, %u;
)ptx";

// Adds the number of wrong elements that this thread has found, and returns.
const std::string ptx_end = R"ptx(
END:
  setp.eq.u64 %done, %sum, 0;
  @%done bra NOTHING;
  red.global.add.u64 [%wrong], %sum;
NOTHING:
  ret;
}
)ptx";

// Version 6.0 and sm_60 are the oldest that need nothing newer; every driver since CUDA 9 compiles
// them for the GPU it finds.
const std::string ptx_text = R"ptx(
.version 6.0
.target sm_60
.address_size 64

// A thread has one word of 8 bytes, then those a grid further on.
.visible .entry words(
  .param .u64 p_buffer, .param .u64 p_bytes, .param .u64 p_block, .param .u64 p_seed,
  .param .u64 p_stream, .param .u64 p_step, .param .u64 p_flip, .param .u64 p_element,
  .param .u64 p_wrong)
{
  .reg .pred %done, %one, %whole, %aligned, %writes, %wide, %more, %differs;
  .reg .b32 %block_id, %block_size, %thread, %blocks, %shift;
  .reg .b64 %buffer, %bytes, %block, %seed, %stream, %step, %flip, %element, %wrong;
  .reg .b64 %at, %stride, %number, %inside, %left, %word, %t, %u, %got, %address, %i, %sum, %mask;

  ld.param.u64 %buffer, [p_buffer];
  ld.param.u64 %bytes, [p_bytes];
  ld.param.u64 %block, [p_block];
  ld.param.u64 %seed, [p_seed];
  ld.param.u64 %stream, [p_stream];
  ld.param.u64 %step, [p_step];
  ld.param.u64 %flip, [p_flip];
  ld.param.u64 %element, [p_element];
  ld.param.u64 %wrong, [p_wrong];
)ptx" + ptx_place + R"ptx(  shl.b64 %at, %at, 3;
  mul.wide.u32 %stride, %blocks, %block_size;
  shl.b64 %stride, %stride, 3;
  setp.eq.u64 %writes, %wrong, 0;
  mov.u64 %sum, 0;

NEXT:
  setp.ge.u64 %done, %at, %bytes;
  @%done bra END;
  // The block of this word, and the bytes that are left in it.
  mov.u64 %number, 0;
  setp.ge.u64 %one, %block, %bytes;
  @%one bra ONE;
  div.u64 %number, %at, %block;
ONE:
  mul.lo.u64 %t, %number, %block;
  sub.u64 %inside, %at, %t;
  sub.u64 %left, %block, %inside;
  sub.u64 %t, %bytes, %at;
  min.u64 %left, %left, %t;
  min.u64 %left, %left, 8;
  // The hash of the stream, then that of the word.
  mul.lo.u64 %t, %number, %step;
  add.u64 %t, %t, %stream;
  add.u64 %t, %t, %seed;
)ptx" + ptx_mix + R"ptx(  shr.u64 %u, %inside, 3;
  mul.lo.u64 %u, %u, 0x9e3779b97f4a7c15;
  add.u64 %t, %t, %u;
)ptx" + ptx_mix + R"ptx(  xor.b64 %word, %t, %flip;
  add.u64 %address, %buffer, %at;
  add.u64 %at, %at, %stride;
  // Whole and aligned words go at once, others byte by byte.
  and.b64 %t, %address, 7;
  setp.eq.u64 %aligned, %t, 0;
  setp.eq.u64 %whole, %left, 8;
  @!%aligned bra BYTES;
  @!%whole bra BYTES;
  @!%writes bra LOAD;
  st.global.u64 [%address], %word;
  bra NEXT;
LOAD:
  ld.global.u64 %got, [%address];
  xor.b64 %got, %got, %word;
  bra COMPARE;

BYTES:
  mov.u64 %i, 0;
  mov.u64 %got, 0;
BYTE:
  cvt.u32.u64 %shift, %i;
  shl.b32 %shift, %shift, 3;
  shr.u64 %t, %word, %shift;
  and.b64 %t, %t, 255;
  @!%writes bra LOADBYTE;
  st.global.u8 [%address], %t;
  bra STORED;
LOADBYTE:
  ld.global.u8 %u, [%address];
  xor.b64 %u, %u, %t;
  shl.b64 %u, %u, %shift;
  or.b64 %got, %got, %u;
STORED:
  add.u64 %address, %address, 1;
  add.u64 %i, %i, 1;
  setp.lt.u64 %more, %i, %left;
  @%more bra BYTE;
  @%writes bra NEXT;

// The bits of %got that are set differ; an element is wrong if any of its bits is.
COMPARE:
  setp.ge.u64 %wide, %element, 8;
  setp.eq.u64 %done, %got, 0;
  @%done bra NEXT;
  @!%wide bra PARTS;
  add.u64 %sum, %sum, 1;
  bra NEXT;
PARTS:
  shl.b64 %t, %element, 3;
  cvt.u32.u64 %shift, %t;
  mov.u64 %mask, 1;
  shl.b64 %mask, %mask, %shift;
  sub.u64 %mask, %mask, 1;
PART:
  and.b64 %t, %got, %mask;
  setp.ne.u64 %differs, %t, 0;
  @%differs add.u64 %sum, %sum, 1;
  shr.u64 %got, %got, %shift;
  setp.ne.u64 %more, %got, 0;
  @%more bra PART;
  bra NEXT;
)ptx" + ptx_end + R"ptx(
// A thread has one element, then those a grid further on.
.visible .entry table(
  .param .u64 p_buffer, .param .u64 p_elements, .param .u64 p_width, .param .u64 p_table,
  .param .u64 p_mask, .param .u64 p_start, .param .u64 p_first, .param .u64 p_flip,
  .param .u64 p_tolerance, .param .u64 p_wrong)
{
  .reg .pred %done, %writes, %w0, %w1, %w2, %w3, %differs;
  .reg .b32 %block_id, %block_size, %thread, %blocks, %shift;
  .reg .b64 %buffer, %elements, %width, %table, %mask, %start, %first, %flip, %tolerance, %wrong;
  .reg .b64 %at, %stride, %t, %u, %want, %got, %address, %sum;

  ld.param.u64 %buffer, [p_buffer];
  ld.param.u64 %elements, [p_elements];
  ld.param.u64 %width, [p_width];
  ld.param.u64 %table, [p_table];
  ld.param.u64 %mask, [p_mask];
  ld.param.u64 %start, [p_start];
  ld.param.u64 %first, [p_first];
  ld.param.u64 %flip, [p_flip];
  ld.param.u64 %tolerance, [p_tolerance];
  ld.param.u64 %wrong, [p_wrong];
)ptx" + ptx_place + R"ptx(  mul.wide.u32 %stride, %blocks, %block_size;
  cvt.u32.u64 %shift, %width;
  setp.eq.u64 %writes, %wrong, 0;
  setp.eq.u64 %w0, %width, 0;
  setp.eq.u64 %w1, %width, 1;
  setp.eq.u64 %w2, %width, 2;
  setp.eq.u64 %w3, %width, 3;
  mov.u64 %sum, 0;

NEXT:
  setp.ge.u64 %done, %at, %elements;
  @%done bra END;
  add.u64 %t, %first, %at;
  mul.lo.u64 %t, %t, 0x9e3779b97f4a7c15;
  add.u64 %t, %t, %start;
)ptx" + ptx_mix + R"ptx(  and.b64 %t, %t, %mask;
  shl.b64 %t, %t, %shift;
  add.u64 %t, %t, %table;
  shl.b64 %u, %at, %shift;
  add.u64 %address, %buffer, %u;
  add.u64 %at, %at, %stride;
  @%w0 ld.global.u8 %want, [%t];
  @%w1 ld.global.u16 %want, [%t];
  @%w2 ld.global.u32 %want, [%t];
  @%w3 ld.global.u64 %want, [%t];
  @!%writes bra CHECK;
  xor.b64 %want, %want, %flip;
  @%w0 st.global.u8 [%address], %want;
  @%w1 st.global.u16 [%address], %want;
  @%w2 st.global.u32 [%address], %want;
  @%w3 st.global.u64 [%address], %want;
  bra NEXT;
CHECK:
  @%w0 ld.global.u8 %got, [%address];
  @%w1 ld.global.u16 %got, [%address];
  @%w2 ld.global.u32 %got, [%address];
  @%w3 ld.global.u64 %got, [%address];
  max.u64 %t, %got, %want;
  min.u64 %u, %got, %want;
  sub.u64 %t, %t, %u;
  setp.gt.u64 %differs, %t, %tolerance;
  @%differs add.u64 %sum, %sum, 1;
  bra NEXT;
)ptx" + ptx_end;

}  // namespace

const char* const check_kernels = ptx_text.c_str();

}  // namespace slipway::bandwidth
