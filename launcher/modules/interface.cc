// Lookups in a module's interface.
#include "launcher/modules/interface.h"

#include <algorithm>

namespace slipway::modules {
namespace {

template <class T>
const T* find(const std::vector<T>& list, std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [name](const T& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

template <class T>
std::vector<std::string> names(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& item : list) names.push_back(item.name);
  return names;
}

}  // namespace

std::string Resource::reference() const {
  return (looked_up ? "data." : "") + type + "." + name;
}

const Input* Interface::input(std::string_view name) const {
  return find(inputs, name);
}
const Output* Interface::output(std::string_view name) const {
  return find(outputs, name);
}
const Resource* Interface::resource(std::string_view reference) const {
  if (!resources) return nullptr;
  const bool looked_up = reference.starts_with("data.");
  if (looked_up) reference.remove_prefix(5);
  const size_t dot = std::min(reference.find('.'), reference.size());
  const std::string_view type = reference.substr(0, dot);
  const std::string_view name = reference.substr(std::min(dot + 1, reference.size()));
  const auto found =
      std::find_if(resources->begin(), resources->end(), [&](const Resource& resource) {
        return resource.looked_up == looked_up && resource.type == type && resource.name == name;
      });
  return found == resources->end() ? nullptr : &*found;
}
std::vector<std::string> Interface::input_names() const {
  return names(inputs);
}
std::vector<std::string> Interface::output_names() const {
  return names(outputs);
}

}  // namespace slipway::modules
