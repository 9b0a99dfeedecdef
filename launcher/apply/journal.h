// The journal of a deployment folder: what was done to each group, so that a deploy that was killed
// goes on where it was (schema slipway/journal/1). Written before and after each step, replaced by
// a rename: it is never half of one.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "launcher/apply/folder.h"

namespace slipway::apply {

// What Packer made, as it named it itself.
struct Image {
  std::string builder;  // "packer.googlecompute"
  std::string name;
  std::string project;  // empty: not known
};

enum class State {
  absent,      // never applied, or destroyed
  applying,    // begun, and no more was heard of it
  failed,      // Terraform or Packer said so
  applied,     // as in .slipway/applied
  destroying,  // begun; what is left of it is not known
};

struct GroupState {
  State state = State::absent;
  std::string digest;  // of its definitions and inputs, when it was applied
  int run = 0;         // of the deploy that found it so
  std::string since;   // when that was
  std::vector<Image> images;

  // Whether there may be something of it.
  bool stands() const { return state != State::absent; }
};

class Journal {
 public:
  // Empty when there is none. Throws Error when it cannot be read.
  explicit Journal(const Folder& folder);

  GroupState& group(const std::string& name) { return groups_[name]; }
  GroupState known(const std::string& name) const;
  const std::map<std::string, GroupState>& groups() const { return groups_; }

  void save() const;

  // Sets the group's state, and saves.
  void put(const std::string& name, State state);

  int run = 0;           // number of the deploy
  bool finished = true;  // that one has done all that it wanted
  std::string program;   // "terraform" or "tofu": whose state it is
  // The child that was at work last; a number of 0: none.
  pid_t child = 0;
  std::string child_began;

 private:
  std::filesystem::path path_;
  std::string deployment_;
  std::map<std::string, GroupState> groups_;
};

const char* name(State state);

}  // namespace slipway::apply
