// Source files, held once, and places in them.
//
// A place is a small offset while the compiler works; file, line and column are computed only when
// somebody looks at a diagnostic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::source {

// A range of bytes in one of the files of a Sources. Offsets run through all files one after the
// other, so a span needs no file beside it. Offset 0 belongs to no file: the empty Span is no
// place.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;  // one past the last byte

  explicit operator bool() const { return begin != 0; }
  bool operator==(const Span&) const = default;
};

// The smallest span that holds both.
Span join(Span a, Span b);

// A place as people name it.
struct Place {
  std::string_view file;
  std::string_view line_text;  // without its line end
  size_t line = 0;             // 1-based
  size_t column = 0;           // 1-based, in characters (code points)
  size_t byte = 0;             // 0-based offset in line_text
  size_t file_byte = 0;        // 0-based offset in the file, its byte order mark counted
};

class Sources {
 public:
  // Takes a file's text and returns the span of the whole of it. A byte order mark is dropped.
  // `name` is what diagnostics call it. Throws Error above 4 GiB in all.
  Span add(std::string name, std::string text);

  // The same of a file as it is on the disk. Throws Error when it cannot be read, is not a regular
  // file, or has more than 1 MiB: a hundred times what people write.
  Span add_file(const std::filesystem::path& path);

  std::string_view text(Span span) const;

  // The text from `offset` to the end of its file.
  std::string_view rest(uint32_t offset) const;

  Place place(uint32_t offset) const;

 private:
  struct File {
    std::string name;
    std::string text;
    uint32_t base;                      // offset of the first byte
    uint32_t mark;                      // bytes of the byte order mark that was dropped
    std::vector<uint32_t> line_starts;  // offsets in text
  };
  const File& file_at(uint32_t offset) const;

  std::vector<File> files_;  // ascending by base
  uint32_t next_ = 1;
};

// The bytes of the UTF-8 character that starts with `lead`: 1 to 4.
size_t utf8_length(char lead);

// Whether a byte is not the first one of its UTF-8 character.
constexpr bool continues_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The columns that `text` takes on a terminal: wide characters two, combining ones none.
size_t display_width(std::string_view text);

// Offset of the first byte that a text file cannot hold (broken UTF-8 or a control character), or
// npos.
size_t find_not_text(std::string_view text);

}  // namespace slipway::source
