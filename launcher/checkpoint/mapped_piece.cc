// Maps a piece of a file.
#include "launcher/checkpoint/mapped_piece.h"

#include <sys/mman.h>

namespace slipway::checkpoint {

MappedPiece::MappedPiece(int file, int64_t offset, size_t size_bytes) : size_bytes_(size_bytes) {
  void* memory = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        file, static_cast<off_t>(offset));
  if (memory != MAP_FAILED) data_ = static_cast<char*>(memory);
}

MappedPiece::~MappedPiece() {
  if (data_ != nullptr) ::munmap(data_, size_bytes_);
}

}  // namespace slipway::checkpoint
