// Makes the mistake that its argument names, in code like ours: found_test.py expects that the
// sanitizers find each of them.
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

struct Node {
  std::string name;
  int64_t count = 0;
};

volatile int64_t sink = 0;

void heap_overflow(size_t one) {
  const std::vector<Node> nodes(one);
  sink = nodes.data()[one].count;
}

// The library's own assertion: no sanitizer sees it.
void no_value(size_t one) {
  const std::optional<Node> node =
      one == 1 ? std::nullopt : std::optional(Node{.name = "a", .count = 1});
  sink = node->count;
}

void use_after_free(size_t one) {
  auto node = std::make_unique<Node>(Node{.name = "a", .count = static_cast<int64_t>(one)});
  const Node* kept = node.get();
  node.reset();
  sink = kept->count;
}

void null_member(size_t one) {
  const auto nodes = std::vector<const Node*>(one, nullptr);
  sink = reinterpret_cast<intptr_t>(
      &nodes[0]->count);  // only takes the address, which crashes nothing
}

void misaligned(size_t one) {
  alignas(8) char bytes[16] = {};
  sink = *reinterpret_cast<const int64_t*>(bytes + one);
}

void signed_overflow(size_t one) {
  sink = std::numeric_limits<int64_t>::max() - static_cast<int64_t>(one);
  sink = sink + 2;
}

void bad_shift(size_t one) {
  sink = static_cast<int>(one) << (31 + one);
}

void leak(size_t one) {
  sink = static_cast<int64_t>(std::make_unique<std::string>(1000 * one, 'x').release()->size());
}

double half(double value) {
  return value / 2;
}

void wrong_function(size_t one) {
  const auto called = reinterpret_cast<int64_t (*)(int64_t)>(reinterpret_cast<void (*)()>(half));
  sink = called(static_cast<int64_t>(one));
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void(size_t)>> mistakes = {
      {"heap-buffer-overflow", heap_overflow},
      {"heap-use-after-free", use_after_free},
      {"null pointer", null_member},
      {"misaligned address", misaligned},
      {"integer overflow", signed_overflow},
      {"shift exponent", bad_shift},
      {"detected memory leaks", leak},
      {"incorrect function type", wrong_function},
      {"_M_is_engaged", no_value}};
  const auto mistake = mistakes.find(argc > 1 ? argv[1] : "");
  if (mistake != mistakes.end()) mistake->second(static_cast<size_t>(argc) - 1);
  return mistake != mistakes.end() || argc == 1 ? 0 : 2;
}
