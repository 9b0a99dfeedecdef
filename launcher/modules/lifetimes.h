// From which to which release Cluster Toolkit had inputs and modules, as far as the library knows:
// catalogue/lifetimes.yaml, and catalogue/imported.yaml, which `slipway modules import` writes.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace slipway::modules {

// Releases as "v1.95.0"; empty: not known.
struct Lifetime {
  std::string came;   // the first one with it
  std::string after;  // one without it; it came later
  std::string gone;   // the first one without it
  std::string until;  // one with it; it is gone now
};

struct Lifetimes {
  std::map<std::string, std::map<std::string, Lifetime>> inputs;  // by module and name
  std::map<std::string, Lifetime> modules;

  // Nothing is known of others.
  const Lifetime* input(const std::string& module, const std::string& name) const;
  const Lifetime* module(const std::string& path) const;
};

// From both files of a library; without them, nothing is known. Throws Error if one is invalid.
Lifetimes read_lifetimes(const std::filesystem::path& library);

// From imported.yaml alone, and the text of that file.
Lifetimes read_imported_lifetimes(const std::filesystem::path& library);
std::string lifetimes_text(const Lifetimes& lifetimes);
inline constexpr const char* imported_lifetimes_file = "catalogue/imported.yaml";

// The release of Cluster Toolkit that the library's interfaces are of; empty if it does not say.
std::string library_version(const std::filesystem::path& library);

// Less than 0, 0 or more: as the first release is older, the same or newer. Both have to be
// versions.
int compare_versions(const std::string& a, const std::string& b);
bool is_version(const std::string& text);  // "v1.95.0", "1.95"

// "it came with v1.34.0" if that release does not have it; otherwise, or if it is not known, empty.
std::string came_later(const Lifetime& lifetime, const std::string& version);

// "it is gone: v1.41.0 had it"; empty if it is not known to be gone.
std::string went_away(const Lifetime& lifetime);

}  // namespace slipway::modules
