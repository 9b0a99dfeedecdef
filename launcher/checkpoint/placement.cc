// Chooses the nodes that hold copies of each other's checkpoints.
#include "launcher/checkpoint/placement.h"

#include <algorithm>

namespace slipway::checkpoint {
namespace {

// How many pairs of a node and the one `apart` after it are in one block.
std::vector<size_t> pairs_in_a_block(const std::vector<std::string>& blocks) {
  const size_t nodes = blocks.size();
  std::vector<size_t> numbers(nodes);
  for (size_t i = 0; i < nodes; ++i)
    numbers[i] = static_cast<size_t>(std::ranges::find(blocks, blocks[i]) - blocks.begin());
  std::vector<size_t> pairs(nodes, 0);
  for (size_t apart = 1; apart < nodes; ++apart)
    for (size_t i = 0; i < nodes; ++i) pairs[apart] += numbers[i] == numbers[(i + apart) % nodes];
  return pairs;
}

}  // namespace

std::vector<size_t> shifts_of_copies(const std::vector<std::string>& blocks, size_t copies) {
  const size_t nodes = blocks.size();
  const std::vector<size_t> pairs = pairs_in_a_block(blocks);
  std::vector<size_t> shifts;
  while (shifts.size() < copies && shifts.size() + 1 < nodes) {
    size_t best = 0, least = 0;
    for (size_t shift = 1; shift < nodes; ++shift) {
      if (std::ranges::find(shifts, shift) != shifts.end()) continue;
      size_t shared = pairs[shift];
      for (const size_t other : shifts) shared += pairs[(shift + nodes - other) % nodes];
      if (best != 0 && shared >= least) continue;
      best = shift;
      least = shared;
    }
    shifts.push_back(best);
  }
  return shifts;
}

}  // namespace slipway::checkpoint
