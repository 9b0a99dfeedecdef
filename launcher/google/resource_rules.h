// Reads blueprints/catalogue/values.yaml, words.yaml, compute.yaml and attachments.yaml: what the
// cloud takes as values and names of resources, and with which machines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace re2 {
class RE2;
}

namespace slipway::google {

// Numbers from `least` to `most`, in steps.
struct NumberRange {
  int64_t least = 0;
  int64_t most = 0;
  int64_t step = 1;
};

// A regular expression that is compiled when it is first needed: a blueprint uses few of them.
class Pattern {
 public:
  Pattern() = default;
  explicit Pattern(std::string text) : text_(std::move(text)) {}

  explicit operator bool() const { return !text_.empty(); }
  bool fits_all_of(const std::string& text) const;
  bool is_in(const std::string& text) const;

 private:
  const re2::RE2& compiled() const;  // throws Error if it is not a regular expression
  std::string text_;
  mutable std::shared_ptr<const re2::RE2> compiled_;
};

// A rule about the values of an attribute.
struct ValueRule {
  Pattern pattern;                  // of the whole text
  Pattern keys;                     // of every key of a mapping
  Pattern never;                    // of no part of the text
  std::vector<std::string> words;   // the value is one of them; empty: any
  bool more_words = false;          // there may be others, which nobody confuses with them
  int64_t longest = 0;              // characters; 0: any number
  int64_t longest_key = 0;          // characters of a mapping's key; 0: as for values
  int64_t longest_together = 0;     // of a mapping's keys and values, in bytes; 0: any number
  std::string computed;             // what text that only the deployment knows counts as
  std::vector<NumberRange> ranges;  // a number is in one of them; empty: any number
  // What people write instead of a word, and that word: "gcs" for "gcsfuse".
  std::map<std::string, std::string> mistaken;
  // The rule is for resources with one of these values in other attributes of the same block, or of
  // a block around it. By attribute.
  std::map<std::string, std::vector<std::string>> when;
  std::string is;    // "a network tag"
  std::string like;  // "such as gpu-node"
};

// A rule about the inputs of modules and their attributes, for what no resource of ours has.
struct InputRule {
  std::vector<std::string> names;  // "size_gb", "*_count", "num_*" or "service_account.scopes"
  ValueRule value;
  bool is_warning = false;  // other values are taken, but mean something else

  bool is_for(std::string_view input) const;
};

// GPUs that can be added to machines whose type has none, by the prefix of the machine type.
struct AttachedGpus {
  std::string machines;
  std::string model;
  std::vector<int64_t> counts;
  std::vector<int64_t> most_vcpus;  // of a machine with each of the counts; empty: any number
};

// How many local SSDs machines can have. The first row with the beginning and the end of the type's
// name and enough vCPUs counts.
struct LocalSsds {
  std::string machines;
  std::string ends;
  int64_t vcpus = 0;            // up to so many; 0: any number
  std::vector<int64_t> counts;  // empty: none
};

// From how many vCPUs on machines can have the bandwidth of TIER_1, by the prefix of their type.
struct Tier1 {
  std::string machines;
  int64_t least_vcpus = 0;  // 0: none can
};

// What encrypts the memory of machines. The first row whose `types` fit counts.
struct Confidential {
  Pattern types;
  std::vector<std::string> technologies;  // empty: none
};

// The CPU platforms that machines can ask for, by the prefix of their type.
struct Platforms {
  std::string machines;
  std::vector<std::string> names;  // empty: none
};

// The machine types whose name begins with a prefix.
struct MachineFamily {
  std::string prefix;
  std::string boot;                     // the usual type of a boot disk
  std::vector<std::string> not_usable;  // types of disks that they cannot have
  std::vector<std::string> data_only;   // types of disks that they cannot boot from
  std::vector<std::string> encrypted;   // not usable, except for the data of Confidential VMs
};

struct ResourceRules {
  std::vector<ValueRule> rules;
  // Indices of rules by the attributes to which they apply: "google_compute_disk.size", or
  // "*.project" for every type.
  std::unordered_map<std::string, std::vector<size_t>> by_attribute;
  std::vector<InputRule> inputs;
  std::vector<std::string> names;                                          // attributes
  std::vector<std::string> scopes;                                         // attributes
  std::map<std::string, std::vector<std::string>, std::less<>> scopes_of;  // by type
  std::vector<std::string> disk_types;
  std::vector<MachineFamily> families;  // the first with a matching prefix counts
  std::vector<AttachedGpus> attached_gpus;
  std::string local_ssd;  // the disk type
  std::vector<LocalSsds> local_ssds;
  std::vector<Tier1> tier_1;
  std::vector<Confidential> confidential;
  std::string confidential_default;  // the technology of machines that name none
  std::vector<Platforms> platforms;
  std::vector<Pattern> no_nested_virtualization;  // of machine types
  std::vector<Pattern> no_spot;                   // of machine types
  Pattern fixed_threads;  // of machine types whose threads per core cannot be set
};

// From the folder `catalogue` of `library`, read again only if a file changed; without the files,
// there are no rules. For one thread. Throws Error if a file is invalid.
std::shared_ptr<const ResourceRules> load_resource_rules(const std::filesystem::path& library);

}  // namespace slipway::google
