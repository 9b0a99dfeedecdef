// Several groups of ranks that run at the same time, each by itself.
#include "nccl-tests/part_backend.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

class PartBackend final : public Backend {
 public:
  PartBackend(std::unique_ptr<Backend> all, int group)
      : all_(std::move(all)),
        part_(all_->split(group)),
        groups_(all_->share(std::to_string(group))) {
    name_groups();
  }
  void connect(const OnPhase& on_phase) override {
    all_->connect(on_phase);
    part_->connect(on_phase);
    name_groups();
  }
  void disconnect() override {
    part_->disconnect();
    all_->disconnect();
  }

  BackendInfo info() const override { return all_->info(); }
  int rank() const override { return part_->rank(); }
  const std::vector<RankInfo>& ranks() const override { return part_->ranks(); }
  int rank_of_all() const override { return all_->rank(); }
  const std::vector<RankInfo>& all_ranks() const override { return ranks_; }
  double seconds() const override { return part_->seconds(); }

  void start(const Operation& operation) override { part_->start(operation); }
  void wait() override { part_->wait(); }
  void begin_group() override { part_->begin_group(); }
  void end_group() override { part_->end_group(); }
  void mark() override { part_->mark(); }
  std::vector<double> between_marks() override { return part_->between_marks(); }
  std::unique_ptr<Recording> record(const std::function<void()>& start) override {
    return part_->record(start);
  }
  bool works_in_place(Kind kind) const override { return part_->works_in_place(kind); }
  bool has(Datatype type) const override { return part_->has(type); }
  bool has(Reduction reduction) const override { return part_->has(reduction); }
  bool has(Datatype type, Reduction reduction) const override {
    return part_->has(type, reduction);
  }
  bool moves_data() const override { return part_->moves_data(); }

  void barrier() override { all_->barrier(); }
  using Backend::combine;
  void combine(Combine how, std::span<double> values) override { all_->combine(how, values); }
  std::vector<std::string> share(const std::string& text) override { return all_->share(text); }
  std::string transport() const override { return part_->transport(); }
  std::unique_ptr<Backend> split(int group) override { return part_->split(group); }

  std::byte* allocate(size_t bytes) override { return part_->allocate(bytes); }
  void release(std::byte* memory) override { part_->release(memory); }
  bool in_host_memory() const override { return part_->in_host_memory(); }
  int64_t available_memory_bytes() const override { return part_->available_memory_bytes(); }
  int64_t library_memory_bytes() const override { return all_->library_memory_bytes(); }
  Patterns& patterns() override { return part_->patterns(); }
  // Nothing runs among all ranks, except for the call that makes the part, which may still use
  // them.
  void end_early() override { part_->end_early(); }

 private:
  void name_groups() {
    ranks_ = all_->ranks();
    for (size_t i = 0; i < ranks_.size(); ++i) ranks_[i].group = std::atoi(groups_[i].c_str());
  }

  std::unique_ptr<Backend> all_, part_;
  std::vector<std::string> groups_;  // by rank
  std::vector<RankInfo> ranks_;
};

struct Way {
  std::string_view word, sign;
  int (*group)(int rank, int number);
};

constexpr std::array<Way, 4> ways = {{
    {"AND", "&", [](int rank, int number) { return rank & number; }},
    {"OR", "|", [](int rank, int number) { return rank | number; }},
    {"MOD", "%", [](int rank, int number) { return rank % number; }},
    {"DIV", "/", [](int rank, int number) { return rank / number; }},
}};

// Decimal, 0x… or 0b…
std::optional<int> plain_number(std::string_view text) {
  std::string digits(trim(text));
  int base = 0;
  if (digits.starts_with("0b") || digits.starts_with("0B")) {
    digits.erase(0, 2);
    base = 2;
  }
  char* end = nullptr;
  const long value = std::strtol(digits.c_str(), &end, base);
  if (digits.empty() || *end != '\0' || value < 0 || value > 1 << 30) return std::nullopt;
  return static_cast<int>(value);
}

int group_by(const std::string& text, int rank) {
  for (const Way& way : ways) {
    for (const std::string_view name : {way.word, way.sign}) {
      if (text.size() < name.size() || ::strncasecmp(text.c_str(), name.data(), name.size()) != 0)
        continue;
      const auto number = plain_number(std::string_view(text).substr(name.size()));
      const bool divides = way.word == "MOD" || way.word == "DIV";
      if (number && (*number > 0 || !divides)) return way.group(rank, *number);
    }
  }
  throw Error(fmt::format(
      "NCCL_TESTS_SPLIT is `{}`, expected AND, OR, MOD or DIV and a number, such as `MOD 8`",
      text));
}

}  // namespace

std::optional<int> group_in_environment(int rank) {
  if (const char* mask = std::getenv("NCCL_TESTS_SPLIT_MASK")) {
    char* end = nullptr;
    const unsigned long bits = std::strtoul(mask, &end, 16);
    if (*mask == '\0' || *end != '\0')
      throw Error(
          fmt::format("NCCL_TESTS_SPLIT_MASK is `{}`, expected a hexadecimal number", mask));
    return static_cast<int>(static_cast<unsigned long>(rank) & bits);
  }
  if (const char* text = std::getenv("NCCL_TESTS_SPLIT"))
    return group_by(std::string(trim(text)), rank);
  return std::nullopt;
}

std::unique_ptr<Backend> in_groups(std::unique_ptr<Backend> all) {
  const std::optional<int> group = group_in_environment(all->rank());
  const double groups = all->combine(Combine::max, group ? 1 : 0);
  if (groups == 0) return all;
  // Group 0 of all is what nccl-tests has without the variable.
  return std::make_unique<PartBackend>(std::move(all), group.value_or(0));
}

}  // namespace slipway::bandwidth
