// Checks settings that list file systems to mount.
#include "launcher/blueprint/storage_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "common/text.h"
#include "launcher/expression/functions.h"

namespace slipway::blueprint {
namespace {

using expression::Type;
using expression::Value;
using source::Code;

// Nothing below them can be mounted either on a local cluster.
constexpr auto folders_of_the_system = std::to_array<std::string_view>(
    {"/dev", "/etc", "/opt/slipway", "/proc", "/run", "/sys", "/usr"});

std::string belongs_to_the_system(const std::string& path) {
  return fmt::format("`{}` belongs to the operating system", path);
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

// Whether an input is a list of file systems, from the attributes of its type.
bool lists_file_systems(const Type& type) {
  if (type.kind != Type::Kind::list && type.kind != Type::Kind::set) return false;
  const Type& element = type.elements.front();
  const auto has = [&](std::string_view name) {
    return std::ranges::find(element.attributes, name, &Type::Attribute::name) !=
           element.attributes.end();
  };
  return element.kind == Type::Kind::object && has("local_mount") && has("remote_mount") &&
         has("fs_type");
}

// The expression that a setting has in the end, if the blueprint or a variable writes it.
ExpressionPtr written(const Setting& setting, const Deployment& deployment) {
  ExpressionPtr value = setting.value;
  // Variables can be set to each other, but not in a circle: that has been reported.
  for (int depth = 0; depth < 100; ++depth) {
    const auto* reference = value->as<expression::Traversal>();
    if (reference == nullptr || reference->root != "var" || reference->steps.size() != 1) break;
    const auto variable = deployment.variables.find(reference->steps[0].name);
    if (variable == deployment.variables.end()) break;
    value = variable->second.value;
  }
  return value;
}

const expression::ObjectItem* item_of(const ExpressionPtr& object, std::string_view name) {
  const auto* items = object == nullptr ? nullptr : object->as<expression::ObjectExpression>();
  if (items == nullptr) return nullptr;
  const auto found = std::ranges::find_if(items->items, [&](const expression::ObjectItem& item) {
    const auto* key = item.key->as<expression::Literal>();
    return key != nullptr && key->value == Value(std::string(name));
  });
  return found == items->items.end() ? nullptr : &*found;
}

std::string text_at(const Value& entry, std::string_view name) {
  const auto* object = entry.as<Value::Object>();
  const auto member = object == nullptr ? Value::Object::const_iterator() : object->find(name);
  if (object == nullptr || member == object->end()) return {};
  return expression::text_of(member->second).value_or("");
}

// Whether an attribute is known to be null or "".
bool is_missing(const Value& entry, std::string_view name) {
  const auto* object = entry.as<Value::Object>();
  const auto member = object == nullptr ? Value::Object::const_iterator() : object->find(name);
  if (object == nullptr || member == object->end()) return false;
  return member->second.is_null() || member->second == Value(std::string());
}

class StorageCheck {
 public:
  StorageCheck(const Module& module, std::string name, const Setting& setting,
               const Deployment& deployment, source::Diagnostics& diagnostics)
      : module_(module),
        name_(std::move(name)),
        setting_(setting),
        value_(written(setting, deployment)),
        diagnostics_(diagnostics) {}

  void run(const Value::List& entries) {
    for (size_t i = 0; i < entries.size(); ++i) {
      needs(entries[i], i);
      mount(text_at(entries[i], "local_mount"), i);
    }
  }

 private:
  // Of an entry that is written out: others come from modules, which know what they need.
  void needs(const Value& entry, size_t i) {
    const ExpressionPtr written = entry_at(i);
    if (written == nullptr || written->as<expression::ObjectExpression>() == nullptr) return;
    if (is_missing(entry, "fs_type")) lacks(i, "fs_type", "it is the kind, such as `nfs`");
    if (is_missing(entry, "local_mount")) lacks(i, "local_mount", "it is the mount point");
    const std::string kind = text_at(entry, "fs_type");
    const bool is_lustre = kind == "lustre";
    const auto required = [&](std::string_view attribute) {
      if (!is_missing(entry, attribute)) return;
      lacks(i, attribute, fmt::format("a file system of the kind `{}` needs it", kind));
    };
    // Without a server, NFS means the controller. Machines outside a cluster have none: rules of
    // their modules say so.
    if (is_lustre) required("server_ip");
    if (is_lustre || kind == "nfs" || kind == "nfs4") required("remote_mount");
  }

  void lacks(size_t i, std::string_view attribute, std::string why) {
    diagnostics_
        .error(Code::rule_broken, place(i, attribute),
               fmt::format("`{}` of module `{}` has an entry without `{}`", name_, module_.id,
                           attribute))
        .help(std::move(why));
  }

  void mount(std::string path, size_t i) {
    if (path.empty()) return;
    path = without_end_slash(std::move(path));
    const Span here = place(i, "local_mount");
    const std::string problem = path_problem(path);
    if (!problem.empty()) {
      diagnostics_.error(Code::rule_broken, here,
                         fmt::format("`{}` of module `{}`: {}", name_, module_.id, problem));
      return;
    }
    const auto [first, fresh] = seen_.emplace(path, here);
    if (fresh) return;
    diagnostics_
        .error(Code::two_of_one_name, here,
               fmt::format("`{}` of module `{}` mounts two file systems at `{}`", name_, module_.id,
                           path))
        .other(first->second == here ? Span() : first->second, "the first");
  }

  ExpressionPtr entry_at(size_t i) const {
    const auto* list = value_->as<expression::Tuple>();
    return list != nullptr && i < list->items.size() ? list->items[i] : nullptr;
  }

  // Where an entry has the attribute; or the entry, or the setting.
  Span place(size_t i, std::string_view attribute) const {
    const ExpressionPtr entry = entry_at(i);
    const expression::ObjectItem* item = item_of(entry, attribute);
    for (const Span& span : {item == nullptr ? Span() : item->value->span,
                             entry == nullptr ? Span() : entry->span, value_->span}) {
      if (span) return span;
    }
    return setting_.span;
  }

  const Module& module_;
  const std::string name_;
  const Setting& setting_;
  const ExpressionPtr value_;
  source::Diagnostics& diagnostics_;
  std::map<std::string, Span> seen_;
};

}  // namespace

std::string path_problem(const std::string& path) {
  constexpr auto taken = std::to_array<std::string_view>(
      {"/", "/bin", "/boot", "/lib", "/lib32", "/lib64", "/root", "/sbin", "/tmp", "/var"});
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  const std::string whole = path + "/";
  const bool normal = path.starts_with('/') && whole.find("/./") == whole.npos &&
                      whole.find("/../") == whole.npos && path.find("//") == path.npos &&
                      std::ranges::none_of(path, is_control);
  if (!normal) return "the mount point must be an absolute path without `.`, `..` and `//`";
  const bool is_taken =
      std::ranges::find(taken, path) != taken.end() ||
      std::ranges::find(folders_of_the_system, path) != folders_of_the_system.end();
  return is_taken ? belongs_to_the_system(path) : std::string();
}

std::string mount_problem(const std::string& path) {
  // A blank ends the folder's name in /etc/fstab.
  if (path.find(' ') != path.npos) return "the mount point must not have blanks";
  std::string problem = path_problem(path);
  if (!problem.empty()) return problem;
  const auto below = [&](std::string_view folder) { return is_below(path, folder); };
  return std::ranges::any_of(folders_of_the_system, below) ? belongs_to_the_system(path) : "";
}

std::vector<Span> written_mounts(const Module& module, const Deployment& deployment,
                                 std::string_view setting, const std::string& mount) {
  std::vector<Span> places;
  const auto found = module.settings.find(std::string(setting));
  if (found == module.settings.end()) return places;
  const ExpressionPtr value = written(found->second, deployment);
  const auto* list = value->as<expression::Tuple>();
  if (list == nullptr) return places;
  for (const ExpressionPtr& entry : list->items) {
    const expression::ObjectItem* item = item_of(entry, "local_mount");
    const auto* text = item == nullptr ? nullptr : item->value->as<expression::Literal>();
    const bool same =
        text != nullptr && (text->value == Value(mount) || text->value == Value(mount + "/"));
    if (same) places.push_back(item->value->span ? item->value->span : found->second.span);
  }
  return places;
}

void check_storage(const Module& module, Evaluation& evaluation, source::Diagnostics& diagnostics) {
  for (const auto& [name, setting] : module.settings) {
    const modules::Input* input = module.interface->input(name);
    if (input == nullptr || !lists_file_systems(input->type)) continue;
    if (setting.origin != Origin::blueprint && setting.origin != Origin::variable) continue;
    const auto* entries = evaluation.input(module, name).as<Value::List>();
    if (entries == nullptr) continue;
    StorageCheck(module, name, setting, evaluation.deployment(), diagnostics).run(*entries);
  }
}

}  // namespace slipway::blueprint
