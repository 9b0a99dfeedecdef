// Collects the recommended variables for a job from all sources.
#include "spank-plugins/nccl_env/advice.h"

#include <fmt/core.h>

#include <optional>
#include <set>

#include "common/error.h"
#include "spank-plugins/nccl_env/inspector.h"
#include "spank-plugins/nccl_env/vendor_profile.h"

namespace slipway::nccl_env {
namespace {

std::string lines_text(const std::vector<int>& lines) {
  constexpr size_t most = 5;
  std::string text = lines.size() == 1 ? "line " : "lines ";
  for (size_t i = 0; i < lines.size() && i < most; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", lines[i]);
  }
  return lines.size() > most ? text + " and more" : text;
}

// Empty if the profile cannot be read.
std::optional<VendorVariables> read_vendor(const NodeTransport& transport,
                                           std::vector<std::string>& warnings) {
  const std::string& path = transport.vendor_profile.path;
  try {
    VendorVariables vendor =
        parse_vendor_profile(read_vendor_profile(path), transport.vendor_profile.inputs);
    if (!vendor.skipped.empty()) {
      warnings.push_back(fmt::format("skipped {} of {}: not a plain `export NAME=value`",
                                     lines_text(vendor.skipped), path));
    }
    return vendor;
  } catch (const Error& error) {
    warnings.push_back(fmt::format(
        "skipping the vendor profile: {}; using the catalog's values instead", error.what()));
    return std::nullopt;
  }
}

class Collector {
 public:
  void add(Advice advice) {
    if (seen_.insert(advice.name).second) advised.advice.push_back(std::move(advice));
  }

  void add(const std::vector<NodeTransport::Variable>& variables) {
    for (const NodeTransport::Variable& variable : variables) {
      add({variable.name, variable.value, "transport", variable.why});
    }
  }

  void add_vendor(const NodeTransport& transport) {
    if (transport.vendor_profile.path.empty()) return add(transport.environment);
    const auto vendor = read_vendor(transport, advised.warnings);
    if (vendor) {
      for (const auto& [name, value] : vendor->variables) {
        add({name, value, "vendor", "in " + transport.vendor_profile.path});
      }
    }
    add(transport.environment);
    if (!vendor) add(transport.without_profile);
  }

  Advised advised;

 private:
  std::set<std::string> seen_;
};

}  // namespace

Advised collect_advice(const NodeProfile& profile, const Sources& sources) {
  const NodeTransport& transport = profile.transport;
  Collector collector;
  // First: the user asks for it, while the other sources only advise.
  if (sources.watch) {
    for (Advice& advice : inspector_advice()) collector.add(std::move(advice));
  }
  for (const auto& [name, value] : sources.administrators) {
    collector.add({name, value, "plugstack.conf", "set by the administrator"});
  }
  if (sources.several_nodes) {
    collector.add_vendor(transport);
    if (!transport.libraries.folder.empty()) {
      collector.add({"LD_LIBRARY_PATH", transport.libraries.folder, "transport",
                     "the transport's own libraries come first", /*prepend=*/true});
    }
  } else {
    collector.add(transport.single_node);
  }
  return std::move(collector.advised);
}

}  // namespace slipway::nccl_env
