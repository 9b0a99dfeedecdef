// How the start of a step's container went: what the process that makes it leaves for slurmstepd
// and its tasks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spank-plugins/container/places.h"

namespace slipway::container {

struct Outcome {
  std::string error;               // empty: the container is up
  std::vector<std::string> notes;  // to print before the first task starts
  pid_t keeper = 0;
  int namespaces = 0;         // CLONE_NEW… that tasks join
  bool pretends_ids = false;  // only the user's ids exist inside: changes to others seem to succeed
  std::string workdir;        // inside
  std::string library_folder;  // for LD_LIBRARY_PATH; or empty
  std::string folder;          // of the container, on the node
  bool own = false;            // this step has started the container
  bool releases = false;       // the importer learns at the end that the image is no longer needed
  EnvironmentChanges changes;
};

std::string encode(const Outcome& outcome);
// Throws Error if the text is not what encode() writes.
Outcome decode_outcome(std::string_view text);

}  // namespace slipway::container
