// The journal of a deployment folder: the state of each group, so that an interrupted deploy can
// resume (schema slipway/journal/1). Written before and after each step, atomically.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "launcher/apply/folder.h"

namespace slipway::apply {

// An image built by Packer, as Packer reported it.
struct Image {
  std::string builder;  // "packer.googlecompute"
  std::string name;
  std::string project;  // empty if not known
};

enum class State {
  absent,      // never applied, or destroyed
  applying,    // started, and perhaps interrupted
  failed,      // Terraform or Packer failed
  applied,     // the definitions in .slipway/applied
  destroying,  // started, and perhaps interrupted
};

struct GroupState {
  State state = State::absent;
  std::string digest;  // of its definitions and inputs when it was applied
  int run = 0;         // number of the deploy that set this state
  std::string since;   // time of this state
  std::vector<Image> images;

  // Whether some of its resources may exist.
  bool may_exist() const { return state != State::absent; }
};

class Journal {
 public:
  // Empty if there is no journal. Throws Error if it cannot be read.
  explicit Journal(const Folder& folder);

  GroupState& group(const std::string& name) { return groups_[name]; }
  GroupState known(const std::string& name) const;
  const std::map<std::string, GroupState>& groups() const { return groups_; }

  void save() const;

  // Sets the state of a group and saves the journal.
  void put(const std::string& name, State state);

  int run = 0;           // number of the latest deploy
  bool finished = true;  // whether that deploy completed
  std::string program;   // "terraform" or "tofu", which wrote the state
  // Process id of the running Terraform or Packer, or 0, and its start time.
  pid_t child = 0;
  std::string child_start_time;

 private:
  std::filesystem::path path_;
  std::string deployment_;
  std::map<std::string, GroupState> groups_;
};

const char* name(State state);

}  // namespace slipway::apply
