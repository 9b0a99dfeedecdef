// The cache of glibc's loader, /etc/ld.so.cache: it says where a library is, and `ldconfig -p`
// lists it. glibc's sysdeps/generic/dl-cache.h describes the format.
//
// A container's cache lists the node's driver as well. It contains the image's own cache, whole, so
// that a saved container and the next start of a container with a name have that one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::container {

// In a container's root.
constexpr const char* loader_cache_path = "etc/ld.so.cache";

// An image's cache has up to this many bytes; that of a large distribution has 300 KiB.
constexpr size_t largest_loader_cache = 4 << 20;

struct CachedLibrary {
  std::string name;  // "libcuda.so.1"
  std::string path;  // in the container
};

// A cache that lists what the image's own cache lists, and these libraries after it: among
// libraries of one name, the loader takes the first. `own` is empty if the image has no cache.
// Throws Error if glibc could not read it, or only glibc before 2.2.
std::string with_libraries(const std::string& own, const std::vector<CachedLibrary>& libraries);

// Whether with_libraries() has made the cache. What else is in it can have come from anybody.
bool is_made_by_us(std::string_view cache);

// The image's own cache in what with_libraries() has made of it, empty if the image has none;
// another cache unchanged.
std::string own_cache(std::string cache);

}  // namespace slipway::container
