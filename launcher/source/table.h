// Slipway's own tables, such as the catalogue's, which commands read many of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::source {

// Beside the tables: their trees in a form that takes a tenth of YAML's time to read.
constexpr const char* prepared_tables = "tables.prepared";

// Reads a table like read_yaml(): from the prepared form if that was made from the same text.
std::optional<Node> read_table(const std::filesystem::path& file, Sources& sources,
                               Diagnostics& diagnostics);

// The prepared tree of a table with this text; nothing without one.
std::optional<Node> prepared_tree(const std::filesystem::path& file, std::string_view text,
                                  uint32_t begin = 1);

// The prepared form of these files of one folder. Leaves out those with mistakes.
std::string prepare_tables(const std::vector<std::filesystem::path>& files);

}  // namespace slipway::source
