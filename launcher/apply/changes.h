// The changes that a deploy would make, by group and module, as text and JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slipway::apply {

enum class Action { create, update, replace, destroy };

struct AttributeChange {
  std::string path;           // "disk[0].size"
  std::string before, after;  // as JSON, or "(secret)"; empty: absent
};

struct Change {
  Action action{};
  std::string address;                           // Terraform's address
  std::vector<AttributeChange> attributes = {};  // of an update and a replacement
  std::string why = {};                          // what forces a replacement
};

struct GroupChanges {
  // The source of this information.
  enum class From { definitions, terraform };
  std::string group, kind;
  From from = From::definitions;
  std::map<std::string, std::vector<Change>> modules;  // by id; "" for the group itself
  std::string note = {};                               // a caveat for the user; may be empty

  bool empty() const { return modules.empty(); }
  size_t count(Action action) const;  // of resources, without outputs
};

// "2 to add, 1 to change, 1 to replace", without zeros; "only outputs" if no resource changes;
// "nothing to do".
std::string summary(const GroupChanges& changes);

// The changes, indented, one per line below their module. Ends with a line feed; empty without
// changes.
std::string to_text(const GroupChanges& changes);

nlohmann::ordered_json to_json(const GroupChanges& changes);

// Replaces the parts of a value that are known only after deployment.
inline constexpr const char* known_later = "(known after apply)";

// The differences between two values, by path, with secrets hidden.
using Json = nlohmann::ordered_json;
struct Secrecy {
  const Json* before = nullptr;  // Terraform's marks: true, or a structure that contains true
  const Json* after = nullptr;
  bool by_name = false;  // also hide values with names such as password or key
};
std::vector<AttributeChange> differences(const Json& before, const Json& after,
                                         const Secrecy& secrecy);

}  // namespace slipway::apply
