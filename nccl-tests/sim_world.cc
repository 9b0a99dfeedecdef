// The speeds and the noise of a simulated cluster.
#include "nccl-tests/sim_world.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

namespace slipway::bandwidth {
namespace {

template <class Key>
double factor_of(const std::map<Key, double>& factors, const Key& key) {
  const auto found = factors.find(key);
  return found == factors.end() ? 1 : found->second;
}

// The finalizer of splitmix64.
uint64_t scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// In (0, 1].
double uniform(uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 1) / 9007199254740992.0;  // 2^53
}

}  // namespace

std::string SimWorld::name_of(int node) {
  return fmt::format("node-{}", node);
}

double SimWorld::speed(int from, int to) const {
  const int a = from, b = to;
  if (a == b) return inside_gb_per_s > 0 ? inside_gb_per_s : 10 * gb_per_s;
  double factor = std::min(factor_of(slow_nodes, a), factor_of(slow_nodes, b));
  factor *= factor_of(slow_senders, from);
  factor *= factor_of(slow_links, std::pair(std::min(a, b), std::max(a, b)));
  if (block_of(a) != block_of(b)) {
    factor *= std::min(factor_of(slow_blocks, block_of(a)), factor_of(slow_blocks, block_of(b)));
  }
  return gb_per_s * factor;
}

double SimWorld::noise_of(uint64_t stream, uint64_t run) const {
  if (noise == 0) return 1;
  const uint64_t bits = scramble(scramble(scramble(seed) ^ stream) ^ run);
  // Box and Muller (1958).
  const double radius = std::sqrt(-2 * std::log(uniform(bits)));
  const double normal = radius * std::cos(2 * std::numbers::pi * uniform(scramble(bits)));
  return std::max(0.05, 1 + noise * normal);
}

}  // namespace slipway::bandwidth
