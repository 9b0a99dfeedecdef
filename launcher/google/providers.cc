// Reads providers.yaml, and finds the versions that resources need.
#include "launcher/google/providers.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {
namespace {

namespace fs = std::filesystem;
using cluster::RowReader;

ProviderVersion version_at(RowReader& row, std::string_view key) {
  const std::vector<std::string> parts = split(row.text(key), '.');
  ProviderVersion version{};
  const bool fine = parts.size() == version.size() &&
                    std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
                      return !part.empty() && part.size() <= 4 &&
                             part.find_first_not_of("0123456789") == std::string::npos;
                    });
  if (!fine) {
    row.wrong(row.scalar(key)->span, "a version must have three numbers, such as 6.41.0");
    return version;
  }
  std::transform(parts.begin(), parts.end(), version.begin(),
                 [](const std::string& part) { return std::stoi(part); });
  return version;
}

// "TYPE", "TYPE.ATTRIBUTE", "TYPE.BLOCK.ATTRIBUTE=VALUE"
Novelty novelty(const std::string& text, const ProviderVersion& version) {
  const size_t equals = text.find('=');
  std::vector<std::string> path = split(text.substr(0, equals), '.');
  Novelty row{version, path[0], {path.begin() + 1, path.end()}, {}, {}};
  if (equals != std::string::npos) row.value = text.substr(equals + 1);
  return row;
}

// Whether a value, or one of several blocks, has the path from `at` on.
bool has_path(const Json& value, const Novelty& row, size_t at) {
  if (value.is_array()) {
    return std::any_of(value.begin(), value.end(),
                       [&](const Json& element) { return has_path(element, row, at); });
  }
  if (at == row.path.size()) return row.value.empty() || value == row.value;
  const auto member = value.is_object() ? value.find(row.path[at]) : value.end();
  return member != value.end() && has_path(*member, row, at + 1);
}

void read_providers(const source::Node& root, Providers& table, source::Diagnostics& diagnostics) {
  RowReader file(root, "the file", diagnostics);
  const std::set<std::string> sources = file.keys("sources");
  if (const source::Node* providers = file.mapping("providers")) {
    for (const source::Entry& entry : providers->entries) {
      RowReader row(entry.value, fmt::format("the provider `{}`", entry.key), diagnostics);
      table.providers[entry.key] = {row.text("source"), version_at(row, "least"),
                                    version_at(row, "below")};
      row.one_of("source_of", sources);
      row.finish();
    }
  }
  if (const source::Node* since = file.sequence("since")) {
    for (const source::Node& item : since->items) {
      RowReader row(item, "a version", diagnostics);
      const ProviderVersion version = version_at(row, "version");
      const ProviderVersion terraform =
          row.has("terraform") ? version_at(row, "terraform") : ProviderVersion{};
      for (const std::string& text : row.texts("of")) {
        if (text.empty()) continue;
        table.novelties.push_back(novelty(text, version));
        table.novelties.back().terraform = terraform;
      }
      row.finish(sources);
    }
  }
  file.finish();
}

}  // namespace

std::string version_text(const ProviderVersion& version) {
  return fmt::format("{}.{}.{}", version[0], version[1], version[2]);
}

std::string provider_of(const std::string& type) {
  return type.substr(0, type.find('_'));
}

ProviderVersion Providers::needed_by(const std::string& type, const Json& body) const {
  ProviderVersion needed{};
  for (const Novelty& row : novelties) {
    if (row.type == type && row.version > needed && has_path(body, row, 0)) needed = row.version;
  }
  return needed;
}

ProviderVersion Providers::terraform_needed_by(const std::string& type, const Json& body) const {
  ProviderVersion needed{};
  for (const Novelty& row : novelties) {
    if (row.type == type && row.terraform > needed && has_path(body, row, 0)) {
      needed = row.terraform;
    }
  }
  return needed;
}

Json Providers::required(const std::string& name, ProviderVersion least) const {
  const auto found = providers.find(name);
  if (found == providers.end()) return nullptr;
  const Provider& provider = found->second;
  return {{"source", provider.source},
          {"version", fmt::format(">= {}, < {}", version_text(std::max(least, provider.least)),
                                  version_text(provider.below))}};
}

Providers load_providers(const fs::path& library) {
  Providers table;
  cluster::read_library_table(library / "catalogue/providers.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                read_providers(root, table, diagnostics);
                              });
  return table;
}

}  // namespace slipway::google
