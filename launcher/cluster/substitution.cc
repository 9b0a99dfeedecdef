// Replaces $(host_nics), $(gpu_nics) and $(rdma_devices) in a transport's rules.
#include "launcher/cluster/substitution.h"

#include <algorithm>
#include <array>

#include "common/text.h"

namespace slipway::cluster {
namespace {

struct Name {
  std::string_view text;
  std::string_view purpose;
  std::string NodeProfile::Interface::*what;
};
const std::array names = {
    Name{"$(host_nics)", "host", &NodeProfile::Interface::name},
    Name{"$(gpu_nics)", "gpu", &NodeProfile::Interface::name},
    Name{"$(rdma_devices)", "gpu", &NodeProfile::Interface::rdma_device},
};

const Name* name_at(std::string_view text) {
  const auto found =
      std::ranges::find_if(names, [&](const Name& name) { return text.starts_with(name.text); });
  return found == names.end() ? nullptr : &*found;
}

}  // namespace

std::optional<ValueRange> find_bad_substitution(std::string_view value) {
  for (size_t at = value.find("$("); at != value.npos; at = value.find("$(", at + 2)) {
    if (name_at(value.substr(at)) != nullptr) continue;
    const size_t close = value.find(')', at);
    return ValueRange{at, close == value.npos ? value.size() : close + 1};
  }
  return std::nullopt;
}

std::string substitute(std::string_view value,
                       const std::vector<NodeProfile::Interface>& interfaces) {
  std::string out;
  while (!value.empty()) {
    const Name* name = name_at(value);
    if (name == nullptr) {
      out += value.front();
      value.remove_prefix(1);
      continue;
    }
    std::vector<std::string> nics;
    for (const NodeProfile::Interface& nic : interfaces) {
      if (nic.purpose == name->purpose) nics.push_back(nic.*name->what);
    }
    out += join(nics, ",");
    value.remove_prefix(name->text.size());
  }
  return out;
}

}  // namespace slipway::cluster
