// Slipway's own tables, such as the catalogue's, which commands read many of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::source {

// Beside the tables: their trees in a form that takes a tenth of YAML's time to read.
constexpr const char* prepared_tables = "tables.prepared";

// Reads a table like read_yaml(): from the prepared form if that was made from the same text.
std::optional<Node> read_table(const std::filesystem::path& file, Sources& sources,
                               Diagnostics& diagnostics);

// The prepared form of these files of one folder. Leaves out those with mistakes.
std::string prepare_tables(const std::vector<std::filesystem::path>& files);

}  // namespace slipway::source
