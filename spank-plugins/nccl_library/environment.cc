// Chooses the value that NCCL gets for a variable.
#include "spank-plugins/nccl_library/environment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace slipway::nccl_library {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads one JSON object from `in` and writes its texts, unescaped, to `out`, which is as large.
class Reader {
 public:
  Reader(const char* in, char* out) : in_(in), out_(out) {}

  bool read_object() {
    if (!skip('{')) return false;
    if (!skip('}')) {
      do {
        if (!read_text() || !skip(':') || !read_text()) return false;
      } while (skip(','));
      if (!skip('}')) return false;
    }
    *out_ = '\0';
    return true;
  }

 private:
  bool skip(char wanted) {
    while (*in_ == ' ' || *in_ == '\n') ++in_;
    if (*in_ != wanted) return false;
    ++in_;
    return true;
  }

  bool read_text() {
    if (!skip('"')) return false;
    for (; *in_ != '"'; ++in_) {
      if (*in_ == '\0') return false;
      if (*in_ == '\\') {
        ++in_;
        if (!read_escape()) return false;
      } else {
        *out_++ = *in_;
      }
    }
    ++in_;
    *out_++ = '\0';
    return true;
  }

  bool read_escape() {
    static const char names[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char* name = *in_ == '\0' ? nullptr : strchr(names, *in_);
    if (name != nullptr) {
      *out_++ = meanings[name - names];
      return true;
    }
    // The writer escapes only control characters by number.
    if (strncmp(in_, "u00", 3) != 0 || hex_digit(in_[3]) < 0 || hex_digit(in_[4]) < 0) return false;
    *out_++ = static_cast<char>(hex_digit(in_[3]) * 16 + hex_digit(in_[4]));
    in_ += 4;
    return true;
  }

  const char* in_;
  char* out_;
};

}  // namespace

Values::~Values() {
  free(texts_);
}

void Values::read(const char* json) {
  free(texts_);
  texts_ = nullptr;
  if (json == nullptr) return;
  char* texts = static_cast<char*>(malloc(strlen(json) + 1));
  if (texts != nullptr && Reader(json, texts).read_object()) {
    texts_ = texts;
  } else {
    free(texts);
  }
}

const char* Values::find(const char* name) const {
  for (const char* at = texts_; at != nullptr && *at != '\0';) {
    const char* value = at + strlen(at) + 1;
    if (strcmp(at, name) == 0) return value;
    at = value + strlen(value) + 1;
  }
  return nullptr;
}

Start::~Start() {
  free(texts_);
}

void Start::read(const char* path) {
  free(texts_);
  texts_ = nullptr;
  size_ = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  size_t room = 0;
  for (;;) {
    if (size_ + 1 >= room) {
      room = room * 2 + 4096;
      char* larger = static_cast<char*>(realloc(texts_, room));
      if (larger == nullptr) break;
      texts_ = larger;
    }
    const ssize_t n = ::read(file, texts_ + size_, room - size_ - 1);
    if (n <= 0) break;
    size_ += static_cast<size_t>(n);
  }
  if (texts_ != nullptr) texts_[size_] = '\0';
  close(file);
}

const char* Start::find(const char* name) const {
  const size_t length = strlen(name);
  for (size_t at = 0; at < size_; at += strlen(texts_ + at) + 1) {
    const char* entry = texts_ + at;
    if (strncmp(entry, name, length) == 0 && entry[length] == '=') return entry + length + 1;
  }
  return nullptr;
}

const char* Users::find(const char* name) const {
  static const char prefix[] = "SLIPWAY_NCCL_USER_";
  char copy[256];  // no NCCL variable has such a long name
  if (strlen(name) + sizeof prefix > sizeof copy) return nullptr;
  strcpy(copy, prefix);
  strcat(copy, name);
  return start_.known() ? start_.find(copy) : getenv(copy);
}

const char* choose(const char* name, const Start& start, const Values& ours) {
  const char* now = getenv(name);
  const char* then = start.find(name);
  const bool changed =
      (now == nullptr) != (then == nullptr) || (now != nullptr && strcmp(now, then) != 0);
  if (start.known() && changed) return now;
  if (const char* value = Users(start).find(name)) return value;
  // If one of ours is missing, the user removed it.
  const char* value = now == nullptr ? nullptr : ours.find(name);
  return value != nullptr ? value : now;
}

}  // namespace slipway::nccl_library
