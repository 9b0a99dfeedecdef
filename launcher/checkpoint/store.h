// The steps in a node's memory: those of its own ranks and copies of others, in one folder.
//
//   rank-3/           what rank 3 of this node sees: step-20, step-40.tmp
//   copies/7/step-20  of a rank on another node
//   arriving/1/step   what is being copied
//   old/1             a file of a copy that is no longer needed, for the next copies
//   removed/1         what is being removed
//
// Threads share a store.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/checkpoint/messages.h"
#include "launcher/checkpoint/old_files.h"
#include "launcher/checkpoint/transfer.h"

namespace slipway::checkpoint {

// The folder of a rank of this node, for $SLIPWAY_CHECKPOINTS.
std::filesystem::path rank_folder(const std::filesystem::path& root, int64_t rank);

// The number in "step-20"; empty for any other name, such as "step-020" or "step-20.tmp".
std::optional<int64_t> step_number(std::string_view name);

class Store {
 public:
  // Works in `root`, an empty folder of ours. Holds at most so many bytes. Throws Error.
  Store(std::filesystem::path root, int64_t most_bytes);

  const std::filesystem::path& root() const { return root_; }
  // Of the last begin(); read without waiting.
  int64_t attempt() const { return attempt_; }

  // An attempt begins: nothing stays but the wanted step, of any rank. The folders of the attempt's
  // ranks are there, with nothing else in them. Returns the ranks whose step is still missing.
  // Throws Error.
  std::vector<RestoredRank> begin(const Restore& order);

  // A program's step, after it was read. False if it came too late or there is no room for it; it
  // is removed then. Throws MemoryFull if there will never be room for it.
  bool add_own(int64_t attempt, int64_t rank, int64_t step,
               std::shared_ptr<const Manifest> manifest);

  // A place for something that arrives; it is removed unless it is added.
  class Arrival {
   public:
    Arrival(Store& store, std::filesystem::path place);
    ~Arrival();
    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;
    const std::filesystem::path& folder() const { return folder_; }
    // Throws MemoryFull.
    void reserve(int64_t size_bytes);
    // The same, and old files that the step can be written over.
    WrittenOver reserve(const Manifest& manifest);

   private:
    friend class Store;
    void reserve_locked(int64_t size_bytes);
    Store& store_;
    const std::filesystem::path place_, folder_;
    int64_t reserved_bytes_ = 0;
  };
  std::unique_ptr<Arrival> arrival();
  // False if it came too late.
  bool add_copy(int64_t attempt, int64_t rank, int64_t step,
                std::shared_ptr<const Manifest> manifest, Arrival& arrival);

  // Empty if the node does not have it. Another rank's serves if it is the same.
  ServedStep find(int64_t rank, int64_t step, const std::string& digest) const;
  bool has(int64_t rank, int64_t step, const std::string& digest) const;

  void retire(const Retire& order);
  // Frees the memory that is only kept for the next copies. False if no such memory was left.
  bool give_up_old_files();
  // Removes everything but the folders of ranks, which programs may still use, and what arrives or
  // is added from now on, which may be on its way.
  void close();
  // Removes the steps that an earlier store left in this folder, and returns the ranks whose
  // folders are there.
  std::vector<int64_t> leftover_ranks();
  // Moves a folder of a program out of the way.
  void discard(const std::filesystem::path& folder);
  // Frees the memory of everything that was removed. May take long; needs no lock.
  void sweep();

  // Old files count as well.
  int64_t used_bytes() const;

 private:
  struct Held {
    std::filesystem::path folder;
    std::shared_ptr<const Manifest> manifest;
    std::string digest;
    int64_t size_bytes = 0;
    // It is or was in the folder of a rank, whose program may still use its files.
    bool is_seen = false;
  };
  using Key = std::pair<int64_t, int64_t>;  // step, rank

  bool is_own(int64_t rank) const { return ranks_.contains(rank); }
  std::filesystem::path place_of(int64_t rank, int64_t step) const;
  void place(const Key& key, const std::filesystem::path& from,
             std::shared_ptr<const Manifest> manifest);
  void drop(const Key& key);
  void drop_and_keep_files(const Key& key);
  bool give_up_old_file();
  int64_t used() const { return used_bytes_ + old_files_.bytes(); }
  bool make_room(int64_t size_bytes);
  void empty_rank_folder(int64_t rank, int64_t step);
  void discard_locked(const std::filesystem::path& folder);

  const std::filesystem::path root_;
  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::atomic<int64_t> attempt_ = 0;
  std::set<int64_t> ranks_;   // of this node
  std::set<int64_t> needed_;  // steps that are not dropped for others
  std::map<Key, Held> held_;
  bool is_closed_ = false;
  int64_t used_bytes_ = 0;  // of steps and arrivals
  OldFiles old_files_;
  int64_t names_ = 0;
};

}  // namespace slipway::checkpoint
