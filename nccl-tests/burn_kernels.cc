// The GPU's part of a burn, as PTX, and what it must calculate.
#include "nccl-tests/burn_kernels.h"

#include <bit>
#include <cmath>

#include <fmt/core.h>

namespace slipway::bandwidth {
namespace {

constexpr float burn_factor = -1.9F;

// Version 6.0 and sm_60 are the oldest that need nothing newer, as with the kernels that check
// data.
constexpr const char* burn_head = R"ptx(
.version 6.0
.target sm_60
.address_size 64

.visible .entry burn(.param .u64 p_results, .param .u64 p_starts, .param .u32 p_steps)
{
  .reg .pred %more;
  .reg .f32 %x<8>, %y<8>;
  .reg .b32 %block_id, %block_size, %thread, %steps, %lane, %bits, %word;
  .reg .b64 %results, %starts, %at, %t;

  ld.param.u64 %results, [p_results];
  ld.param.u64 %starts, [p_starts];
  ld.param.u32 %steps, [p_steps];
  mov.u32 %block_id, %ctaid.x;
  mov.u32 %block_size, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %thread, %block_id, %block_size, %thread;
  and.b32 %lane, %thread, 31;
  mul.wide.u32 %t, %lane, 32;
  add.u64 %at, %starts, %t;
)ptx";

constexpr const char* burn_compare = R"ptx(
.visible .entry compare(
  .param .u64 p_results, .param .u64 p_elements, .param .u64 p_expected, .param .u64 p_wrong)
{
  .reg .pred %done, %differs;
  .reg .b32 %block_id, %block_size, %thread, %got, %want;
  .reg .b64 %results, %elements, %expected, %wrong, %at, %t, %one;

  ld.param.u64 %results, [p_results];
  ld.param.u64 %elements, [p_elements];
  ld.param.u64 %expected, [p_expected];
  ld.param.u64 %wrong, [p_wrong];
  mov.u32 %block_id, %ctaid.x;
  mov.u32 %block_size, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %thread, %block_id, %block_size, %thread;
  cvt.u64.u32 %at, %thread;
  setp.ge.u64 %done, %at, %elements;
  @%done bra END;
  and.b64 %t, %at, 31;
  shl.b64 %t, %t, 2;
  add.u64 %t, %t, %expected;
  ld.global.u32 %want, [%t];
  shl.b64 %t, %at, 2;
  add.u64 %t, %t, %results;
  ld.global.u32 %got, [%t];
  mov.u64 %one, 1;
  setp.ne.u32 %differs, %got, %want;
  @%differs red.global.add.u64 [%wrong], %one;
END:
  ret;
}
)ptx";

// What a thread writes about its chains depends on every bit of each.
constexpr uint32_t burn_mixer = 31;

}  // namespace

std::string burn_kernels() {
  std::string text = burn_head;
  for (int c = 0; c < burn_chains; ++c) {
    text += fmt::format("  ld.global.f32 %x{}, [%at];\n", c);
    if (c + 1 < burn_chains) text += "  add.u64 %at, %at, 4;\n";
  }
  text += "NEXT:\n";
  for (int step = 0; step < burn_unrolled; ++step) {
    for (int c = 0; c < burn_chains; ++c)
      text += fmt::format("  mul.rn.f32 %y{0}, %x{0}, 0f{1:08X};\n", c,
                          std::bit_cast<uint32_t>(burn_factor));
    for (int c = 0; c < burn_chains; ++c)
      text += fmt::format("  fma.rn.f32 %x{0}, %y{0}, %x{0}, 0f3F800000;\n", c);
  }
  text +=
      "  sub.u32 %steps, %steps, 1;\n"
      "  setp.ne.u32 %more, %steps, 0;\n"
      "  @%more bra NEXT;\n"
      "  mov.u32 %word, 0;\n";
  for (int c = 0; c < burn_chains; ++c)
    text += fmt::format(
        "  mov.b32 %bits, %x{};\n"
        "  mad.lo.u32 %word, %word, {}, %bits;\n",
        c, burn_mixer);
  text +=
      "  mul.wide.u32 %t, %thread, 4;\n"
      "  add.u64 %at, %results, %t;\n"
      "  st.global.u32 [%at], %word;\n"
      "  ret;\n"
      "}\n";
  return text + burn_compare;
}

BurnStarts burn_starts() {
  BurnStarts starts{};
  for (size_t i = 0; i < starts.size(); ++i)
    starts[i] = -0.8F + 1.6F * static_cast<float>(i) / static_cast<float>(starts.size());
  return starts;
}

BurnResults burn_results(uint32_t steps) {
  const BurnStarts starts = burn_starts();
  BurnResults results{};
  for (size_t lane = 0; lane < results.size(); ++lane) {
    for (size_t c = 0; c < burn_chains; ++c) {
      float x = starts[lane * burn_chains + c];
      for (uint64_t i = 0; i < uint64_t{steps} * burn_unrolled; ++i)
        x = std::fmaf(burn_factor * x, x, 1.0F);
      results[lane] = results[lane] * burn_mixer + std::bit_cast<uint32_t>(x);
    }
  }
  return results;
}

}  // namespace slipway::bandwidth
