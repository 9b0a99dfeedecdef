// What a deploy would do, by group and module: for people and for programs.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace slipway::apply {

enum class Action { create, update, replace, destroy };

struct AttributeChange {
  std::string path;           // "disk[0].size"
  std::string before, after;  // as JSON; "(secret)"; empty: not there
};

struct Change {
  Action action{};
  std::string address;                           // as Terraform names it
  std::vector<AttributeChange> attributes = {};  // of an update and a replacement
  std::string why = {};                          // of a replacement: what forces it
};

struct GroupChanges {
  // Where this is known from.
  enum class From { definitions, terraform };
  std::string group, kind;
  From from = From::definitions;
  std::map<std::string, std::vector<Change>> modules;  // by id; "": the group itself
  std::string note = {};                               // what else must be known; may be empty

  bool empty() const { return modules.empty(); }
  size_t count(Action action) const;  // of resources; outputs cost nothing
};

// "2 to add, 1 to change, 1 to replace, 0 to destroy", without what is none; "only outputs" when no
// resource changes, "nothing to do".
std::string summary(const GroupChanges& changes);

// The changes, a line each below their module, indented; ends with a line feed, empty without any.
std::string to_text(const GroupChanges& changes);

nlohmann::ordered_json to_json(const GroupChanges& changes);

// Stands in a value for what only the deployment will tell.
inline constexpr const char* known_later = "(known after apply)";

// The differences between two values, by path. Whatever `secret` says yes to is not shown.
using Json = nlohmann::ordered_json;
struct Secrecy {
  const Json* before = nullptr;  // as Terraform marks them: true, or a structure with true in it
  const Json* after = nullptr;
  bool by_name = false;  // what is called password, key or the like is one, too
};
std::vector<AttributeChange> differences(const Json& before, const Json& after,
                                         const Secrecy& secrecy);

}  // namespace slipway::apply
