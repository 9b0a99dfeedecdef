// Keeps the steps of a node in order: where they are, how much they take, and which have to go.
#include "launcher/checkpoint/store.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::checkpoint {
namespace {

constexpr std::string_view step_prefix = "step-", rank_prefix = "rank-";

// 20 of "step-20", and nothing of "step-020".
std::optional<int64_t> number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto number = to_number<int64_t>(name.substr(prefix.size()));
  if (!number || *number < 0 || name != fmt::format("{}{}", prefix, *number)) return std::nullopt;
  return number;
}

}  // namespace

namespace fs = std::filesystem;

fs::path rank_folder(const fs::path& root, int64_t rank) {
  return root / fmt::format("{}{}", rank_prefix, rank);
}

std::optional<int64_t> step_number(std::string_view name) {
  return number_after(step_prefix, name);
}

Store::Store(fs::path root, int64_t most_bytes)
    : root_(std::move(root)), most_bytes_(most_bytes), old_files_(root_ / "old") {
  for (const char* name : {"copies", "arriving", "old", "removed"})
    make_directories(root_ / name, 0700);
}

fs::path Store::place_of(int64_t rank, int64_t step) const {
  const fs::path folder =
      is_own(rank) ? rank_folder(root_, rank) : root_ / "copies" / std::to_string(rank);
  return folder / fmt::format("{}{}", step_prefix, step);
}

void Store::place(const Key& key, const fs::path& from, std::shared_ptr<const Manifest> manifest) {
  const fs::path place = place_of(key.second, key.first);
  make_directories(place.parent_path(), 0700);
  fs::rename(from, place);
  Held& held = held_[key];
  held.folder = place;
  held.digest = digest_of(*manifest);
  held.size_bytes = size_of(*manifest);
  held.manifest = std::move(manifest);
  held.is_seen = held.is_seen || is_own(key.second);
}

void Store::discard_locked(const fs::path& folder) {
  std::error_code gone;
  fs::rename(folder, root_ / "removed" / std::to_string(names_++), gone);
}

void Store::discard(const fs::path& folder) {
  const std::lock_guard lock(mutex_);
  discard_locked(folder);
}

void Store::sweep() {
  std::error_code ignored;
  for (fs::directory_iterator at(root_ / "removed", ignored), end; at != end; at.increment(ignored))
    fs::remove_all(at->path(), ignored);
}

void Store::drop(const Key& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  discard_locked(found->second.folder);
  used_bytes_ -= found->second.size_bytes;
  held_.erase(found);
}

void Store::drop_and_keep_files(const Key& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  const Held& held = found->second;
  if (!held.is_seen) old_files_.keep(held.folder, *held.manifest);
  drop(key);
}

bool Store::give_up_old_file() {
  return old_files_.give_up(root_ / "removed" / std::to_string(names_++));
}

// Old files go first, then the oldest steps.
bool Store::make_room(int64_t size_bytes) {
  while (size_bytes > most_bytes_ - used()) {
    if (give_up_old_file()) continue;
    const auto oldest = std::ranges::find_if(
        held_, [&](const auto& held) { return !needed_.contains(held.first.first); });
    if (oldest == held_.end()) return false;
    drop(Key(oldest->first));
  }
  return true;
}

void Store::empty_rank_folder(int64_t rank, int64_t step) {
  const auto held = held_.find({step, rank});
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator(rank_folder(root_, rank)))
    if (held == held_.end() || entry.path() != held->second.folder) others.push_back(entry.path());
  for (const fs::path& each : others) discard_locked(each);
}

std::vector<RestoredRank> Store::begin(const Restore& order) try {
  const std::lock_guard lock(mutex_);
  attempt_ = order.attempt;
  needed_ = {order.step};
  std::vector<Key> old;
  for (const auto& [key, held] : held_)
    if (key.first != order.step) old.push_back(key);
  for (const Key& key : old) drop_and_keep_files(key);
  for (const RestoredRank& each : order.ranks)
    if (const auto held = held_.find({order.step, each.rank});
        held != held_.end() && held->second.digest != each.digest)
      drop(Key(held->first));

  const std::set<int64_t> before = std::exchange(ranks_, {});
  for (const RestoredRank& each : order.ranks) ranks_.insert(each.rank);
  std::vector<RestoredRank> missing;
  for (const int64_t rank : before) {
    if (is_own(rank)) continue;
    const auto held = held_.find({order.step, rank});
    if (held != held_.end())
      place(held->first, fs::path(held->second.folder), held->second.manifest);
    discard_locked(rank_folder(root_, rank));
  }
  for (const RestoredRank& each : order.ranks) {
    make_directories(rank_folder(root_, each.rank), 0700);
    empty_rank_folder(each.rank, order.step);
    const auto held = held_.find({order.step, each.rank});
    if (held == held_.end()) {
      missing.push_back(each);
    } else if (held->second.folder != place_of(each.rank, order.step)) {
      place(held->first, fs::path(held->second.folder), held->second.manifest);
    }
  }
  if (order.step < 0) missing.clear();
  return missing;
} catch (const fs::filesystem_error& error) {
  throw Error(error.code().message());
}

bool Store::add_own(int64_t attempt, int64_t rank, int64_t step,
                    std::shared_ptr<const Manifest> manifest) {
  const std::lock_guard lock(mutex_);
  if (attempt != attempt_ || !is_own(rank)) return false;
  const fs::path folder = place_of(rank, step);
  if (is_closed_) {
    discard_locked(folder);
    return false;
  }
  if (const auto again = held_.find({step, rank}); again != held_.end()) {
    used_bytes_ -= again->second.size_bytes;
    held_.erase(again);
  }
  const int64_t size = size_of(*manifest);
  if (!make_room(size)) {
    discard_locked(folder);
    // There will be room when the newer of two has taken the place of the older.
    std::set<int64_t> kept;
    for (const auto& [key, held] : held_)
      if (needed_.contains(key.first)) kept.insert(key.first);
    if (kept.size() > 1) return false;
    throw MemoryFull(fmt::format("step {} of rank {} has {} bytes, and {} of {} are in use", step,
                                 rank, size, used(), most_bytes_));
  }
  used_bytes_ += size;
  held_[{step, rank}] = {folder, manifest, digest_of(*manifest), size, true};
  return true;
}

std::unique_ptr<Store::Arrival> Store::arrival() {
  const std::lock_guard lock(mutex_);
  return std::make_unique<Arrival>(*this, root_ / "arriving" / std::to_string(names_++));
}

Store::Arrival::Arrival(Store& store, fs::path place)
    : store_(store), place_(std::move(place)), folder_(place_ / "step") {
  make_directories(place_, 0700);
}

void Store::Arrival::reserve_locked(int64_t size_bytes) {
  if (!store_.make_room(size_bytes))
    throw MemoryFull(fmt::format("a copy of {} bytes does not fit: {} of {} are in use", size_bytes,
                                 store_.used(), store_.most_bytes_));
  store_.used_bytes_ += size_bytes;
  reserved_bytes_ = size_bytes;
}

void Store::Arrival::reserve(int64_t size_bytes) {
  const std::lock_guard lock(store_.mutex_);
  reserve_locked(size_bytes);
}

WrittenOver Store::Arrival::reserve(const Manifest& manifest) {
  WrittenOver old;
  {
    const std::lock_guard lock(store_.mutex_);
    for (size_t i = 0; i < manifest.files.size(); ++i) {
      const int64_t size = manifest.files[i].size_bytes;
      const fs::path to = place_ / fmt::format("old-{}", i);
      if (size >= OldFiles::least_bytes && store_.old_files_.take(size, to)) old.emplace(i, to);
    }
    reserve_locked(size_of(manifest));
  }
  store_.sweep();  // what had to make room
  return old;
}

Store::Arrival::~Arrival() {
  {
    const std::lock_guard lock(store_.mutex_);
    store_.used_bytes_ -= reserved_bytes_;
    store_.discard_locked(place_);
  }
  store_.sweep();
}

bool Store::add_copy(int64_t attempt, int64_t rank, int64_t step,
                     std::shared_ptr<const Manifest> manifest, Arrival& arrival) try {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || attempt != attempt_ || held_.contains({step, rank})) return false;
  place({step, rank}, arrival.folder_, std::move(manifest));
  arrival.reserved_bytes_ = 0;
  return true;
} catch (const fs::filesystem_error& error) {
  throw Error(error.code().message());
}

ServedStep Store::find(int64_t rank, int64_t step, const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const auto& held) {
    return held.first.first == step && held.second.digest == digest;
  };
  auto found = held_.find({step, rank});
  if (found == held_.end() || !is_it(*found)) found = std::ranges::find_if(held_, is_it);
  if (found == held_.end()) return {};
  return {found->second.folder, found->second.manifest};
}

bool Store::has(int64_t rank, int64_t step, const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find({step, rank});
  return found != held_.end() && found->second.digest == digest;
}

void Store::retire(const Retire& order) {
  const std::lock_guard lock(mutex_);
  needed_ = {order.below, order.except};
  std::vector<Key> old;
  for (const auto& [key, held] : held_)
    if (key.first < order.below && key.first != order.except && key.first != order.writing)
      old.push_back(key);
  for (const Key& key : old) drop_and_keep_files(key);
}

bool Store::give_up_old_files() {
  bool any = false;
  {
    const std::lock_guard lock(mutex_);
    while (give_up_old_file()) any = true;
  }
  if (any) sweep();
  return any;
}

void Store::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  needed_.clear();
  while (give_up_old_file()) continue;
  while (!held_.empty()) drop(Key(held_.begin()->first));
}

std::vector<int64_t> Store::leftover_ranks() {
  const std::lock_guard lock(mutex_);
  std::vector<int64_t> ranks;
  std::error_code ignored;
  for (const char* name : {"copies", "arriving", "old"})
    for (const auto& entry : fs::directory_iterator(root_ / name, ignored))
      discard_locked(entry.path());
  for (const auto& entry : fs::directory_iterator(root_, ignored)) {
    const auto rank = number_after(rank_prefix, entry.path().filename().native());
    if (!rank) continue;
    ranks.push_back(*rank);
    for (const auto& step : fs::directory_iterator(entry.path(), ignored))
      if (step_number(step.path().filename().native())) discard_locked(step.path());
  }
  ranks_ = {ranks.begin(), ranks.end()};
  return ranks;
}

int64_t Store::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used();
}

}  // namespace slipway::checkpoint
