// Fuzz target: an image's /etc/ld.so.cache, which its maker may have written by hand. What is
// accepted is in the container's cache, in the loader's order, and can be taken out again.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "spank-plugins/container/loader_cache.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway::container;
using slipway::fuzz::require;

const std::vector<CachedLibrary> driver = {
    {"libcuda.so.1", "/usr/lib64/libcuda.so.1"},
    {"libnvidia-ml.so.1", "/usr/lib64/libnvidia-ml.so.1"},
};

uint32_t number_at(const std::string& bytes, size_t offset) {
  require(offset + 4 <= bytes.size(), "a cache has its fields");
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// Whether the cache has an entry with this path, as glibc reads entries.
bool lists(const std::string& cache, const std::string& path) {
  bool found = false;
  for (size_t i = 0; i < number_at(cache, 20); ++i) {
    const uint32_t offset = number_at(cache, 48 + i * 24 + 8);
    require(offset < cache.size(), "a path is in the file");
    found = found || cache.c_str() + offset == path;
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string image(reinterpret_cast<const char*>(data), size);
  const std::string own = own_cache(image);
  require(!is_made_by_us(own), "the image's own cache is not ours");
  try {
    const std::string made = with_libraries(own, driver);
    require(made.size() <= own.size() * 2 + 1024, "a cache is not much larger than the image's");
    require(is_made_by_us(made) && own_cache(made) == own, "the image's own cache is in ours");
    for (const CachedLibrary& library : driver) require(lists(made, library.path), library.path);
    require(own_cache(with_libraries(made, driver)) == own, "ours is a cache, too");
  } catch (const slipway::Error& error) {
    require(*error.what() != '\0', "a refusal has a reason");
  }
  return 0;
}
