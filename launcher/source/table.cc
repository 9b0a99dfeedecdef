// Writes and reads prepared tables: an index, then the nodes of each table. Numbers are in the
// order of the machine for which the file is made.
#include "launcher/source/table.h"

#include <cstring>
#include <fstream>
#include <string_view>

#include "common/digest.h"

namespace slipway::source {
namespace {

// Increase the number when the format changes.
constexpr std::string_view table_format = "slipway tables " SLIPWAY_VERSION " 1\n";
constexpr size_t row_bytes = 4 * sizeof(uint64_t);

struct TableRow {
  uint64_t name = 0, digest = 0;  // digests
  uint64_t begin = 0, size = 0;
};

struct Incomplete {};

class TableWriter {
 public:
  TableWriter(std::string& out, uint32_t begin) : out_(out), begin_(begin) {}

  void node(const Node& node) {
    number(static_cast<uint32_t>(node.kind));
    number(static_cast<uint32_t>(node.style));
    span(node.span);
    text(node.tag);
    text(node.text);
    number(static_cast<uint32_t>(node.items.size()));
    for (const Node& item : node.items) this->node(item);
    number(static_cast<uint32_t>(node.entries.size()));
    for (const Entry& entry : node.entries) {
      text(entry.key);
      span(entry.key_span);
      this->node(entry.value);
    }
  }

 private:
  void number(uint32_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void span(Span span) {
    number(span.begin - begin_);
    number(span.end - begin_);
  }
  void text(const std::string& text) {
    number(static_cast<uint32_t>(text.size()));
    out_ += text;
  }

  std::string& out_;
  uint32_t begin_;
};

class TableReader {
 public:
  TableReader(std::string_view rest, uint32_t begin) : rest_(rest), begin_(begin) {}

  void node(Node& node) {
    node.kind = static_cast<Kind>(number());
    node.style = static_cast<Style>(number());
    node.span = span();
    text(node.tag);
    text(node.text);
    if (const size_t items = count(); items > 0) node.items.resize(items);
    for (Node& item : node.items) this->node(item);
    if (const size_t entries = count(); entries > 0) node.entries.resize(entries);
    for (Entry& entry : node.entries) {
      text(entry.key);
      entry.key_span = span();
      this->node(entry.value);
    }
  }

 private:
  std::string_view bytes(size_t size) {
    if (size > rest_.size()) throw Incomplete();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  void text(std::string& text) {
    if (const size_t size = number(); size > 0) text = bytes(size);
  }
  uint32_t number() {
    uint32_t value = 0;
    if (rest_.size() < sizeof value) throw Incomplete();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  size_t count() {
    const size_t count = number();
    if (count > rest_.size()) throw Incomplete();
    return count;
  }
  Span span() {
    const uint32_t from = number() + begin_;
    return {from, number() + begin_};
  }

  std::string_view rest_;
  uint32_t begin_;
};

// The part of a prepared file; nothing if it does not have the table, or was made by another
// version of Slipway or from another text.
std::optional<std::string> prepared_part(const std::filesystem::path& file, std::string_view text) {
  std::ifstream stream(file.parent_path() / prepared_tables, std::ios::binary);
  std::string made_by(table_format.size(), '\0');
  uint64_t rows = 0;
  if (!stream.read(made_by.data(), static_cast<std::streamsize>(made_by.size()))) return {};
  if (made_by != table_format) return {};
  if (!stream.read(reinterpret_cast<char*>(&rows), sizeof rows)) return {};
  const uint64_t name = digest_of(file.filename().string());
  for (TableRow row; rows > 0; --rows) {
    if (!stream.read(reinterpret_cast<char*>(&row), row_bytes)) return {};
    if (row.name != name) continue;
    if (row.digest != digest_of(text)) return {};
    std::string part(row.size, '\0');
    stream.seekg(static_cast<std::streamoff>(row.begin));
    if (!stream.read(part.data(), static_cast<std::streamsize>(row.size))) return {};
    return part;
  }
  return {};
}

}  // namespace

std::optional<Node> prepared_tree(const std::filesystem::path& file, std::string_view text,
                                  uint32_t begin) {
  const auto part = prepared_part(file, text);
  if (!part) return std::nullopt;
  try {
    Node root;
    TableReader(*part, begin).node(root);
    return root;
  } catch (const Incomplete&) {
    return std::nullopt;
  }
}

std::optional<Node> read_table(const std::filesystem::path& file, Sources& sources,
                               Diagnostics& diagnostics) {
  const Span text = sources.add_file(file);
  if (auto root = prepared_tree(file, sources.text(text), text.begin)) return root;
  return read_yaml(text, sources, diagnostics);
}

std::string prepare_tables(const std::vector<std::filesystem::path>& files) {
  std::vector<TableRow> rows;
  std::string parts;
  for (const std::filesystem::path& file : files) {
    Sources sources;
    Diagnostics diagnostics(sources);
    const Span text = sources.add_file(file);
    const auto root = read_yaml(text, sources, diagnostics);
    if (!root || diagnostics.errors() + diagnostics.warnings() > 0) continue;
    const size_t begin = parts.size();
    TableWriter(parts, text.begin).node(*root);
    rows.push_back({digest_of(file.filename().string()), digest_of(sources.text(text)), begin,
                    parts.size() - begin});
  }
  std::string whole(table_format);
  const uint64_t count = rows.size();
  whole.append(reinterpret_cast<const char*>(&count), sizeof count);
  const size_t head = whole.size() + rows.size() * row_bytes;
  for (TableRow& row : rows) {
    row.begin += head;
    whole.append(reinterpret_cast<const char*>(&row), row_bytes);
  }
  return whole + parts;
}

}  // namespace slipway::source
