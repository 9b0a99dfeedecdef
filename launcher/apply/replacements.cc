// Follows references from changed resources until nothing else changes.
#include "launcher/apply/replacements.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace slipway::apply {
namespace {

using Body = nlohmann::ordered_json;

// A reference in a definition: the attribute `from` uses `attribute` of `address`. An empty
// attribute stands for any.
struct Reference {
  std::string from, address, attribute;
};

bool is_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

bool is_data(const std::string& address) {
  return address.starts_with("data.");
}

// The type of "google_compute_network.net".
std::string_view type_of(std::string_view address) {
  return address.substr(0, address.find('.'));
}

class Followed {
 public:
  Followed(const std::map<std::string, Definition>& definitions, const ReplacementRules& rules)
      : definitions_(definitions), rules_(rules) {
    for (const auto& [address, definition] : definitions_) {
      for (const auto& [name, value] : definition.after->items()) {
        if (name != "depends_on" && name != "lifecycle") find(address, name, value);
      }
    }
  }

  std::map<std::string, Effect> all() {
    for (const auto& [address, definition] : definitions_) {
      if (*definition.before != *definition.after) look_at(address);
    }
    while (!to_follow_.empty()) {
      const std::string address = to_follow_.back();
      to_follow_.pop_back();
      follow(address);
    }
    return std::move(effects_);
  }

 private:
  // Keeps the references in an attribute by what they refer to.
  void find(const std::string& address, const std::string& attribute, const Body& value) {
    if (value.is_structured()) {
      for (const Body& element : value) find(address, attribute, element);
      return;
    }
    if (!value.is_string()) return;
    const std::string& text = value.get_ref<const std::string&>();
    if (text.find("${") == std::string::npos) return;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = static_cast<size_t>(
          std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_part) -
          text.begin());
      if (auto found = reference(text.substr(begin, end - begin))) {
        found->from = attribute;
        users_[found->address].push_back({address, *found});
      }
      begin = end + 1;
    }
  }

  // Of "data.google_project.p.number" or "google_compute_network.net.id".
  std::optional<Reference> reference(const std::string& words) const {
    size_t end = words.find('.');
    if (end != std::string::npos && words.starts_with("data.")) end = words.find('.', end + 1);
    if (end == std::string::npos) return std::nullopt;
    end = words.find('.', end + 1);
    const std::string address = words.substr(0, end);
    if (!definitions_.contains(address)) return std::nullopt;
    const std::string rest = end == std::string::npos ? "" : words.substr(end + 1);
    return Reference{{}, address, rest.substr(0, rest.find('.'))};
  }

  // Decides what a change does to the resource; its users are followed if that is news.
  void look_at(const std::string& address) {
    const Definition& definition = definitions_.at(address);
    Effect& effect = effects_[address];
    const auto rule = rules_.find(type_of(address));
    if (rule != rules_.end() && !is_data(address)) {
      effect.because =
          rule->second.because_of(*definition.before, *definition.after, effect.renewed);
    }
    to_follow_.push_back(address);
  }

  void follow(const std::string& address) {
    for (const auto& [user, reference] : users_[address]) {
      if (!is_new(address, reference.attribute)) continue;
      if (effects_[user].renewed.insert(reference.from).second) look_at(user);
    }
  }

  // Whether the attribute gets a value that is not known yet. What a definition sets is known, and
  // a user whose own definition changes with it has changed already.
  bool is_new(const std::string& address, const std::string& attribute) {
    const Effect& effect = effects_.at(address);
    const Body& after = *definitions_.at(address).after;
    if (effect.renewed.contains(attribute)) return true;
    const bool changed = attribute.empty() || !after.contains(attribute) ||
                         !definitions_.at(address).before->contains(attribute) ||
                         after[attribute] != (*definitions_.at(address).before)[attribute];
    if (is_data(address) || !effect.because.empty()) return changed;
    if (after.contains(attribute)) return changed;
    const auto rule = rules_.find(type_of(address));
    if (rule == rules_.end()) return false;
    const auto passed = rule->second.passes.find(attribute);
    return passed != rule->second.passes.end() && is_new(address, passed->second);
  }

  const std::map<std::string, Definition>& definitions_;
  const ReplacementRules& rules_;
  std::map<std::string, std::vector<std::pair<std::string, Reference>>> users_;
  std::map<std::string, Effect> effects_;
  std::vector<std::string> to_follow_;
};

}  // namespace

std::map<std::string, Effect> effects(const std::map<std::string, Definition>& definitions,
                                      const ReplacementRules& rules) {
  return Followed(definitions, rules).all();
}

}  // namespace slipway::apply
