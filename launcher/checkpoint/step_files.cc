// Reads and writes the files of a step. A program may put anything into its folder, and change it
// at any time: nothing here follows a link or waits for a pipe.
#include "launcher/checkpoint/step_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "common/text.h"

namespace slipway::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 16;
constexpr int64_t largest_step = int64_t{1} << 50;

Fd open_entry(int folder, const std::string& name, int flags) {
  return Fd(::openat(folder, name.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
}

Fd open_folder(int folder, const std::string& name) {
  return open_entry(folder, name, O_DIRECTORY);
}

Fd open_step(const fs::path& folder) {
  Fd fd = open_folder(AT_FDCWD, folder);
  if (!fd) throw_errno("cannot read " + folder.filename().native());
  return fd;
}

// Opens a file below `folder`, none of whose parents is a link.
Fd open_below(int folder, const std::string& path) {
  Fd parent;
  const std::vector<std::string> names = split(path, '/');
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    parent = open_folder(parent ? parent.get() : folder, names[i]);
    if (!parent) throw_errno(fmt::format("cannot read `{}`", path));
  }
  Fd file = open_entry(parent ? parent.get() : folder, names.back(), O_NONBLOCK);
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0) throw_errno(fmt::format("cannot read `{}`", path));
  if (!S_ISREG(info.st_mode)) throw Error(fmt::format("`{}` is not a regular file", path));
  return file;
}

// A file that should have this size.
Fd open_whole(int folder, const StepFile& file) {
  Fd fd = open_below(folder, file.path);
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) throw_errno(fmt::format("cannot read `{}`", file.path));
  if (info.st_size < file.size_bytes)
    throw Error(fmt::format("`{}` has become shorter", file.path));
  return fd;
}

// Reads up to `size` bytes; fewer at the end of the file.
void read_piece(int file, int64_t offset, size_t size, std::string& into, const std::string& path) {
  into.resize(size);
  size_t have = 0;
  while (have < size) {
    const ssize_t got = ::pread(file, into.data() + have, size - have,
                                static_cast<off_t>(offset + static_cast<int64_t>(have)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(fmt::format("cannot read `{}`", path));
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  into.resize(have);
}

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// Lists the folder with file sizes of 0.
void list(int folder, const std::string& prefix, int depth, Manifest& into) {
  if (depth > deepest) throw Error(fmt::format("`{}` is more than {} deep", prefix, deepest));
  const int own = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(own < 0 ? nullptr : ::fdopendir(own),
                                                    ::closedir);
  if (!entries) throw_errno(fmt::format("cannot read `{}`", prefix));
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string path = prefix + name;
    struct stat info = {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      throw_errno(fmt::format("cannot read `{}`", path));
    if (path.size() > longest_path || into.folders.size() + into.files.size() >= most_files)
      throw Error(fmt::format("more than {} files, or paths that are too long", most_files));
    if (S_ISDIR(info.st_mode)) {
      into.folders.push_back(path);
      const Fd below = open_folder(folder, name);
      if (!below) throw_errno(fmt::format("cannot read `{}`", path));
      list(below.get(), path + "/", depth + 1, into);
    } else if (S_ISREG(info.st_mode)) {
      into.files.push_back({path, 0, {}});
    } else {
      throw Error(fmt::format("`{}` is {}, not a file", path, kind_of(info.st_mode)));
    }
  }
}

void hash_file(int folder, StepFile& file, const Cancelled& cancelled) {
  const Fd fd = open_below(folder, file.path);
  std::string piece;
  Digest digest;
  do {
    if (cancelled()) throw Error("no longer wanted");
    read_piece(fd.get(), file.size_bytes, piece_bytes, piece, file.path);
    if (piece.empty()) break;
    digest.add(piece);
    file.size_bytes += static_cast<int64_t>(piece.size());
  } while (piece.size() == piece_bytes);
  file.digest = digest.take();
}

size_t bytes_of_piece(const StepFile& file, int64_t offset) {
  return static_cast<size_t>(std::min<int64_t>(piece_bytes, file.size_bytes - offset));
}

bool is_relative(const std::string& path) {
  if (path.empty() || path.size() > longest_path || path.back() == '/') return false;
  const std::vector<std::string> names = split(path, '/');
  return static_cast<int>(names.size()) <= deepest + 1 &&
         std::ranges::none_of(names, [](const std::string& name) {
           return name.empty() || name == "." || name == ".." || name.size() > 255 ||
                  name.find('\0') != name.npos;
         });
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash);
}

}  // namespace

Manifest read_step(const fs::path& folder, const Cancelled& cancelled) {
  const Fd fd = open_step(folder);
  Manifest manifest;
  list(fd.get(), "", 0, manifest);
  std::ranges::sort(manifest.folders);
  std::ranges::sort(manifest.files, {}, &StepFile::path);
  for (StepFile& file : manifest.files) hash_file(fd.get(), file, cancelled);
  return manifest;
}

void check_manifest(const Manifest& manifest) {
  std::set<std::string> folders = {""};
  const auto check = [&](const std::string& path, const std::string* before) {
    if (!is_relative(path)) throw Error(fmt::format("`{}` is not a path below a step", path));
    if (before != nullptr && *before >= path)
      throw Error(fmt::format("`{}` is out of order", path));
    if (!folders.contains(parent_of(path)))
      throw Error(fmt::format("`{}` is in a folder that is missing", path));
  };
  const std::string* before = nullptr;
  for (const std::string& path : manifest.folders) {
    check(path, before);
    folders.insert(path);
    before = &path;
  }
  before = nullptr;
  int64_t left = largest_step;
  for (const StepFile& file : manifest.files) {
    check(file.path, before);
    if (folders.contains(file.path))
      throw Error(fmt::format("`{}` is a file and a folder", file.path));
    if (file.size_bytes < 0 || file.size_bytes > left)
      throw Error(fmt::format("`{}` is {} bytes long", file.path, file.size_bytes));
    left -= file.size_bytes;
    before = &file.path;
  }
}

int64_t size_of(const Manifest& manifest) {
  int64_t size = 0;
  for (const StepFile& file : manifest.files) size += file.size_bytes;
  return size;
}

std::string digest_of(const Manifest& manifest) {
  Digest digest;
  digest.add(encode(PeerMessage(manifest)));
  return digest.take();
}

StepReader::StepReader(const fs::path& folder, const Manifest& manifest)
    : manifest_(manifest), folder_(open_step(folder)) {}

void read_piece(const FilePiece& piece, std::string& into) {
  read_piece(piece.file, piece.offset, piece.size_bytes, into, *piece.path);
  if (into.size() < piece.size_bytes)
    throw Error(fmt::format("`{}` has become shorter", *piece.path));
}

std::optional<FilePiece> StepReader::next() {
  while (at_ < manifest_.files.size()) {
    const StepFile& file = manifest_.files[at_];
    if (offset_ == file.size_bytes) {
      file_.reset();
      offset_ = 0;
      ++at_;
      continue;
    }
    if (!file_) file_ = open_whole(folder_.get(), file);
    const FilePiece piece = {file_.get(), offset_, bytes_of_piece(file, offset_), &file.path};
    offset_ += static_cast<int64_t>(piece.size_bytes);
    return piece;
  }
  return std::nullopt;
}

StepWriter::StepWriter(fs::path folder, const Manifest& manifest, Durable durable, WrittenOver old)
    : folder_(std::move(folder)), manifest_(manifest), durable_(durable), old_(std::move(old)) {
  check_manifest(manifest_);
  const auto make = [](const fs::path& path) {
    if (::mkdir(path.c_str(), 0700) == 0) return;
    if (errno == ENOSPC) throw MemoryFull("the memory is full");
    throw_errno("cannot make " + path.filename().native());
  };
  make(folder_);
  for (const std::string& path : manifest_.folders) make(folder_ / path);
  open_next();
}

// Files without bytes have no pieces.
void StepWriter::open_next() {
  for (; at_ < manifest_.files.size(); ++at_) {
    const StepFile& file = manifest_.files[at_];
    const fs::path path = folder_ / file.path;
    if (open_old(path)) return;
    file_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file_ && errno == ENOSPC) throw MemoryFull("the memory is full");
    if (!file_) throw_errno(fmt::format("cannot write `{}`", file.path));
    if (file.size_bytes > 0) return;
    finish_file();
  }
}

// False if there is no file to write over, or if it cannot be used.
bool StepWriter::open_old(const fs::path& path) {
  old_bytes_ = 0;
  const auto old = old_.find(at_);
  if (old == old_.end() || ::rename(old->second.c_str(), path.c_str()) != 0) return false;
  const auto size = static_cast<off_t>(manifest_.files[at_].size_bytes);
  file_ = Fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  struct stat info = {};
  if (file_ && ::fstat(file_.get(), &info) == 0 && info.st_size <= size &&
      ::ftruncate(file_.get(), size) == 0) {
    old_bytes_ = info.st_size;
    return true;
  }
  ::unlink(path.c_str());
  return false;
}

void StepWriter::finish_file() {
  const StepFile& file = manifest_.files[at_];
  if (digest_.take() != file.digest)
    throw Error(fmt::format("`{}` does not have the digest that was announced", file.path));
  if (durable_ == Durable::yes && ::fsync(file_.get()) != 0)
    throw_errno(fmt::format("cannot write `{}`", file.path));
  file_.reset();
  offset_ = 0;
}

size_t StepWriter::next_bytes() const {
  return complete() ? 0 : bytes_of_piece(manifest_.files[at_], offset_);
}

void StepWriter::take(std::string_view piece) {
  if (complete()) throw Error("a piece after the last file");
  const StepFile& file = manifest_.files[at_];
  const size_t expected = next_bytes();
  if (piece.size() != expected)
    throw Error(
        fmt::format("a piece of {} bytes of `{}`, expected {}", piece.size(), file.path, expected));
  mapped_.reset();
  write(piece);
  digest_.add(piece);
  finish_piece(expected);
}

char* StepWriter::room() {
  const size_t size = next_bytes();
  if (offset_ + static_cast<int64_t>(size) <= old_bytes_) {
    if (!mapped_) mapped_.emplace(file_.get(), offset_, size);
    if (mapped_->data() != nullptr) return mapped_->data();
  }
  mapped_.reset();
  buffer_.resize(piece_bytes);
  return buffer_.data();
}

void StepWriter::put_piece() {
  const size_t size = next_bytes();
  if (!mapped_) return take({buffer_.data(), size});
  digest_.add({mapped_->data(), size});
  mapped_.reset();
  finish_piece(size);
}

void StepWriter::write(std::string_view piece) {
  auto offset = static_cast<off_t>(offset_);
  for (std::string_view rest = piece; !rest.empty();) {
    const ssize_t wrote = ::pwrite(file_.get(), rest.data(), rest.size(), offset);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && (errno == ENOSPC || errno == EDQUOT || errno == ENOMEM))
      throw MemoryFull("the memory is full");
    if (wrote < 0) throw_errno(fmt::format("cannot write `{}`", manifest_.files[at_].path));
    rest.remove_prefix(static_cast<size_t>(wrote));
    offset += static_cast<off_t>(wrote);
  }
}

void StepWriter::finish_piece(size_t size_bytes) {
  offset_ += static_cast<int64_t>(size_bytes);
  if (offset_ < manifest_.files[at_].size_bytes) return;
  finish_file();
  ++at_;
  open_next();
}

}  // namespace slipway::checkpoint
