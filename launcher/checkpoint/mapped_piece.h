// A piece of an open file as memory of this process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slipway::checkpoint {

class MappedPiece {
 public:
  // `file` is open to read and write and has memory for the piece: where it has none, using the
  // piece could end the process. `offset` is at the beginning of a page.
  MappedPiece(int file, int64_t offset, size_t size_bytes);
  ~MappedPiece();
  MappedPiece(const MappedPiece&) = delete;
  MappedPiece& operator=(const MappedPiece&) = delete;

  // Null if it cannot be mapped.
  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  size_t size_bytes_;
};

}  // namespace slipway::checkpoint
