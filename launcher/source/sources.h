// The source files that the compiler reads, and places in them.
//
// The compiler handles a place as an offset; file, line and column are computed only when a
// diagnostic is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::source {

// A range of bytes in one of the files of a Sources. Offsets count through all files in turn, so a
// span does not have to name its file. A default Span is empty, since offset 0 is in none of the
// files.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;  // one past the last byte

  explicit operator bool() const { return begin != 0; }
  bool operator==(const Span&) const = default;
};

// The smallest span that contains both.
Span join(Span a, Span b);

// A place as messages show it.
struct Place {
  std::string_view file;
  std::string_view line_text;  // without its line end
  size_t line = 0;             // 1-based
  size_t column = 0;           // 1-based, in characters (code points)
  size_t byte = 0;             // 0-based offset in line_text
  size_t file_byte = 0;        // 0-based offset in the file, including its byte order mark
};

class Sources {
 public:
  // Takes a file's text and returns the span of all of it. A byte order mark is dropped.
  // Diagnostics call the file `name`. Throws Error above 4 GiB in total.
  Span add(std::string name, std::string text);

  // Reads the file from disk. Throws Error if it cannot be read, is not a regular file, or is
  // larger than 1 MiB, a hundred times what people write.
  Span add_file(const std::filesystem::path& path);

  std::string_view text(Span span) const;

  // The text from `offset` to the end of its file.
  std::string_view rest(uint32_t offset) const;

  Place place(uint32_t offset) const;

  // Of all files and texts, in their order.
  std::vector<std::string> names() const;

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

// The length in bytes, 1 to 4, of the UTF-8 character that starts with `lead`.
size_t utf8_length(char lead);

// Whether a byte is a continuation byte of UTF-8.
constexpr bool continues_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The width of `text` in terminal columns: two for a wide character, zero for a combining one.
size_t display_width(std::string_view text);

// Offset of the first byte that is not allowed in a text file (invalid UTF-8 or a control
// character), or npos.
size_t find_not_text(std::string_view text);

}  // namespace slipway::source
