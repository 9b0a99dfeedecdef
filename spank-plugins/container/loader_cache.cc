// Reads and writes caches of glibc's loader.
#include "spank-plugins/container/loader_cache.h"

#include <limits.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "common/error.h"

namespace slipway::container {
namespace {

static_assert(std::endian::native == std::endian::little);
#if defined(__x86_64__)
constexpr int32_t library_flags = 0x0303;  // ELF for glibc, x86-64
#elif defined(__aarch64__)
constexpr int32_t library_flags = 0x0a03;  // ELF for glibc, AArch64
#else
#error "which flags does ldconfig give to libraries of this architecture?"
#endif

constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::string_view magic = "glibc-ld.so.cache1.1";
constexpr uint32_t extension_magic = 0xeaa42174;
constexpr uint8_t little_endian = 2, endian_mask = 3;

struct OldHeader {
  char magic[11];
  uint32_t entries;
};
struct OldEntry {
  int32_t flags;
  uint32_t name, path;
};
struct Header {
  char magic[20];
  uint32_t entries, string_bytes;
  uint8_t flags, unused[3];
  uint32_t extension;  // from the beginning of the file; 0: none
  uint32_t more_unused[3];
};
struct Entry {
  int32_t flags;
  uint32_t name, path;  // from the header
  uint32_t system_version;
  uint64_t hardware;
};
struct Section {
  uint32_t tag, flags, offset, size;  // the offset is from the beginning of the file
};
static_assert(sizeof(OldHeader) == 16 && sizeof(OldEntry) == 12 && sizeof(Header) == 48 &&
              sizeof(Entry) == 24 && sizeof(Section) == 16);

// glibc leaves out sections with a tag that it does not know.
enum Tag : uint32_t { generator = 0, hardware_names = 1, image_cache = 0x736c6970 };

[[noreturn]] void refuse() {
  throw Error("its /etc/ld.so.cache is damaged, or of a kind that Slipway cannot read");
}

template <typename T>
T value_at(std::string_view bytes, uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) refuse();
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void pad(std::string& bytes) {
  bytes.resize((bytes.size() + 7) / 8 * 8);
}

// Long texts would make it slow to read an image's cache, which anybody may have written.
std::string_view text_at(std::string_view bytes, uint64_t offset, size_t longest) {
  if (offset >= bytes.size()) refuse();
  const std::string_view text = bytes.substr(offset, longest + 1);
  const size_t size = text.find('\0');
  if (size == std::string_view::npos) refuse();
  return text.substr(0, size);
}

struct Listed {
  Entry entry;
  std::string_view name, path;
};

struct Cache {
  uint64_t start = 0;  // of the header: after a cache for glibc before 2.2, if the file has one
  std::vector<Listed> libraries;
  std::vector<uint32_t> hardware_names;  // offsets of texts, from the beginning of the file
};

uint64_t header_offset(std::string_view bytes) {
  if (!bytes.starts_with(old_magic)) return 0;
  const auto old = value_at<OldHeader>(bytes, 0);
  const uint64_t end = sizeof old + uint64_t{old.entries} * sizeof(OldEntry);
  return (end + 7) / 8 * 8;
}

std::vector<Section> sections_of(std::string_view bytes, const Header& header) {
  std::vector<Section> sections;
  if (header.extension == 0) return sections;
  if (value_at<uint32_t>(bytes, header.extension) != extension_magic) refuse();
  const auto count = value_at<uint32_t>(bytes, header.extension + uint64_t{4});
  for (uint64_t i = 0; i < count; ++i) {
    const auto section =
        value_at<Section>(bytes, header.extension + uint64_t{8} + i * sizeof(Section));
    if (uint64_t{section.offset} + section.size > bytes.size()) refuse();
    sections.push_back(section);
  }
  return sections;
}

Header header_at(std::string_view bytes, uint64_t start) {
  const auto header = value_at<Header>(bytes, start);
  if (std::string_view(header.magic, sizeof header.magic) != magic) refuse();
  const int order = header.flags & endian_mask;
  if (order != 0 && order != little_endian) refuse();
  return header;
}

Cache read_cache(std::string_view bytes) {
  Cache cache;
  if (bytes.empty()) return cache;
  cache.start = header_offset(bytes);
  const Header header = header_at(bytes, cache.start);
  for (uint64_t i = 0; i < header.entries; ++i) {
    const auto entry = value_at<Entry>(bytes, cache.start + sizeof header + i * sizeof(Entry));
    cache.libraries.push_back({entry, text_at(bytes, cache.start + entry.name, NAME_MAX),
                               text_at(bytes, cache.start + entry.path, PATH_MAX)});
  }
  Section names = {};  // the last one, as for glibc
  for (const Section& section : sections_of(bytes, header)) {
    if (section.tag == Tag::hardware_names) names = section;
  }
  for (uint64_t i = 0; i + 4 <= names.size; i += 4) {
    cache.hardware_names.push_back(value_at<uint32_t>(bytes, names.offset + i));
    text_at(bytes, cache.hardware_names.back(), NAME_MAX);
  }
  return cache;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes a number from the front, without zeros at its beginning.
std::string_view take_number(std::string_view& text) {
  while (text.size() > 1 && text[0] == '0' && is_digit(text[1])) text.remove_prefix(1);
  const size_t size = std::ranges::find_if_not(text, is_digit) - text.begin();
  const std::string_view number = text.substr(0, size);
  text.remove_prefix(size);
  return number;
}

// The order in which the loader searches: numbers by their value, above all letters.
int compare_names(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) != is_digit(b[0])) return is_digit(a[0]) ? 1 : -1;
    if (is_digit(a[0])) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
      if (left != right) return left < right ? -1 : 1;
    } else if (a[0] != b[0]) {
      return a[0] < b[0] ? -1 : 1;
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() && b.empty()) return 0;
  // The end of a text is a zero.
  if (a.empty()) return is_digit(b[0]) || b[0] > 0 ? -1 : 1;
  return is_digit(a[0]) || a[0] > 0 ? 1 : -1;
}

// The last name comes first; among equal ones, the largest flags.
bool comes_before(const Listed& a, const Listed& b) {
  const int order = compare_names(b.name, a.name);
  return order != 0 ? order < 0 : a.entry.flags > b.entry.flags;
}

// Without those that the image's cache lists, too.
std::vector<CachedLibrary> new_ones(const std::vector<CachedLibrary>& libraries,
                                    const Cache& cache) {
  std::vector<CachedLibrary> added;
  for (const CachedLibrary& library : libraries) {
    const auto is_it = [&](const Listed& listed) {
      return listed.name == library.name && listed.path == library.path;
    };
    if (std::ranges::none_of(cache.libraries, is_it)) added.push_back(library);
  }
  return added;
}

// The parts of a cache whose places depend on each other: a header and `entries` entries, then
// these.
class Tail {
 public:
  explicit Tail(size_t entries) : begin_(sizeof(Header) + entries * sizeof(Entry)) {}

  uint32_t add(std::string_view bytes) {
    pad(bytes_);
    bytes_ += bytes;
    return static_cast<uint32_t>(begin_ + bytes_.size() - bytes.size());
  }
  uint32_t add_text(const std::string& text) {
    return add(std::string_view(text.c_str(), text.size() + 1));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  const size_t begin_;  // a multiple of 8
  std::string bytes_;
};

std::string extension_of(const std::vector<Section>& sections) {
  std::string bytes;
  append(bytes, extension_magic);
  append(bytes, static_cast<uint32_t>(sections.size()));
  for (const Section& section : sections) append(bytes, section);
  return bytes;
}

uint32_t add_extension(Tail& tail, const Cache& cache, uint32_t own_offset, size_t own_size) {
  constexpr std::string_view made_by = "Slipway, with the node's driver";
  std::vector<Section> sections = {
      {Tag::generator, 0, tail.add(made_by), made_by.size()},
      {Tag::image_cache, 0, own_offset, static_cast<uint32_t>(own_size)}};
  if (!cache.hardware_names.empty()) {
    std::string names;
    for (const uint32_t offset : cache.hardware_names) append(names, own_offset + offset);
    sections.push_back(
        {Tag::hardware_names, 0, tail.add(names), static_cast<uint32_t>(names.size())});
  }
  return tail.add(extension_of(sections));
}

// Nothing if it is not ours.
std::optional<std::string_view> image_part(std::string_view bytes) {
  if (!bytes.starts_with(magic)) return std::nullopt;
  try {
    for (const Section& section : sections_of(bytes, header_at(bytes, 0))) {
      if (section.tag == Tag::image_cache) return bytes.substr(section.offset, section.size);
    }
  } catch (const Error&) {  // glibc could not read it
  }
  return std::nullopt;
}

}  // namespace

std::string with_libraries(const std::string& own, const std::vector<CachedLibrary>& libraries) {
  if (own.size() > largest_loader_cache) refuse();
  const Cache cache = read_cache(own);
  const std::vector<CachedLibrary> added = new_ones(libraries, cache);
  Tail tail(cache.libraries.size() + added.size());
  // Its texts stay where they are in it.
  const uint32_t own_offset = tail.add(own);
  const uint32_t moved = own_offset + static_cast<uint32_t>(cache.start);
  std::vector<Listed> listed = cache.libraries;
  for (Listed& each : listed) {
    each.entry.name += moved;
    each.entry.path += moved;
  }
  for (const CachedLibrary& each : added) {
    const uint32_t name = tail.add_text(each.name), path = tail.add_text(each.path);
    listed.push_back({{library_flags, name, path, 0, 0}, each.name, each.path});
  }
  std::ranges::stable_sort(listed, comes_before);
  Header header = {};
  magic.copy(header.magic, sizeof header.magic);
  header.entries = static_cast<uint32_t>(listed.size());
  header.flags = little_endian;
  header.extension = add_extension(tail, cache, own_offset, own.size());
  header.string_bytes = static_cast<uint32_t>(tail.bytes().size());
  std::string bytes;
  append(bytes, header);
  for (const Listed& each : listed) append(bytes, each.entry);
  return bytes + tail.bytes();
}

bool is_made_by_us(std::string_view cache) {
  return image_part(cache).has_value();
}

std::string own_cache(std::string cache) {
  while (const auto part = image_part(cache)) {
    if (part->size() >= cache.size()) return {};
    cache = std::string(*part);
  }
  return cache;
}

}  // namespace slipway::container
