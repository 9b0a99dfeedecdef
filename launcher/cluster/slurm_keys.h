// The keys that Slurm knows on the lines of nodes and partitions, and the values that it takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

// How Slurm reads the value of a key.
struct SlurmKey {
  enum class Kind {
    text,      // anything
    number,    // from `least` to `most`, or UNLIMITED
    time,      // minutes, DAYS-HOURS:MINUTES and the like
    flag,      // YES or NO
    words,     // one of `words`
    options,   // several of `words`, separated by commas
    weights,   // TYPE=NUMBER, separated by commas
    gres,      // NAME:TYPE:NUMBER, separated by commas
    ids,       // numbers and ranges of numbers, separated by commas
    features,  // names, separated by commas
  };
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view words = {};  // with commas; for numbers, what they can be besides
  uint64_t least = 0;
  uint64_t most = 0;
};

// From slurm.conf(5) of Slurm 22.05 to 25.05, with the older names that it still accepts. Slurm
// does not start with any other key. Numbers have the limits of the types as which read_config.c
// reads them; a node without processors or memory is of no use to Slurm.
std::span<const SlurmKey> slurm_node_keys();
std::span<const SlurmKey> slurm_partition_keys();

// Ignores the case of the name, as Slurm does; nullptr if there is no such key.
const SlurmKey* find_key(std::span<const SlurmKey> keys, std::string_view name);

std::vector<std::string> names_of(std::span<const SlurmKey> keys);

// What to write instead of `value`, or "": Slurm takes it. An empty value removes a key.
std::string value_problem(const SlurmKey& key, const std::string& value);

}  // namespace slipway::cluster
