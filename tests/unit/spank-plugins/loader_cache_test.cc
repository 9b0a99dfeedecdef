// Caches of glibc's loader: what ldconfig has written is read, and ldconfig reads what we write.
#include <fmt/core.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "spank-plugins/container/loader_cache.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::container;
namespace fs = std::filesystem;

namespace {

// Programs of /sbin are not in every user's PATH.
constexpr const char* ldconfig = "/sbin/ldconfig";

fs::path c_library() {
  std::string found;
  const auto look = [](dl_phdr_info* object, size_t, void* into) {
    if (std::string_view(object->dlpi_name).ends_with("/libc.so.6")) {
      *static_cast<std::string*>(into) = object->dlpi_name;
    }
    return 0;
  };
  ::dl_iterate_phdr(look, &found);
  return found;
}

// The cache that ldconfig writes for a root with the C library in each of these folders.
std::string cache_of(const std::vector<std::string>& folders, const char* format) {
  const TemporaryDirectory root;
  fs::create_directories(root.path() / "etc");
  std::ofstream configuration(root.path() / "etc/ld.so.conf");
  for (const std::string& folder : folders) {
    configuration << folder << "\n";
    fs::create_directories(root.path() / folder.substr(1));
    fs::copy_file(c_library(), root.path() / folder.substr(1) / "libc.so.6");
  }
  configuration.close();
  run_checked({ldconfig, "-r", root.path(), "-c", format});
  return read_file(root.path() / "etc/ld.so.cache");
}

// What ldconfig says is in it, without the ABI in brackets: "libc.so.6 => /opt/lib/libc.so.6".
std::vector<std::string> listed(const std::string& cache) {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "ld.so.cache";
  write_file(file, cache);
  std::vector<std::string> lines;
  for (const std::string& line : split(run_checked({ldconfig, "-C", file, "-p"}), '\n')) {
    const size_t bracket = line.find(" ("), arrow = line.find(" => ");
    if (!line.starts_with('\t') || arrow == std::string::npos) continue;
    lines.push_back(line.substr(1, bracket - 1) + line.substr(arrow));
  }
  return lines;
}

std::string refusal(const std::string& cache) {
  try {
    with_libraries(cache, {{"libcuda.so.1", "/usr/lib64/libcuda.so.1"}});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

const std::vector<CachedLibrary> driver = {
    {"libnvidia-ml.so.1", "/usr/lib64/libnvidia-ml.so.1"},
    {"libcuda.so.580.65.06", "/usr/lib64/libcuda.so.580.65.06"},
    {"libcuda.so.1", "/usr/lib64/libcuda.so.1"},
};

}  // namespace

TEST_CASE("loader cache: ldconfig lists the image's libraries and ours, in the loader's order") {
  for (const char* format : {"new", "compat"}) {
    INFO(format);
    const std::string own = cache_of({"/opt/lib", "/srv/lib"}, format);
    const std::vector<std::string> before = {"libc.so.6 => /opt/lib/libc.so.6",
                                             "libc.so.6 => /srv/lib/libc.so.6"};
    REQUIRE(listed(own) == before);
    const std::vector<CachedLibrary> more = {{"libc.so.6", "/usr/lib64/libc.so.6"},
                                             {"libc.so.10", "/usr/lib64/libc.so.10"},
                                             {"liba.so", "/usr/lib64/liba.so"}};
    const std::vector<std::string> after = {"libc.so.10 => /usr/lib64/libc.so.10", before[0],
                                            before[1], "libc.so.6 => /usr/lib64/libc.so.6",
                                            "liba.so => /usr/lib64/liba.so"};
    CHECK(listed(with_libraries(own, more)) == after);
  }
}

TEST_CASE("loader cache: an image without one gets one, and the image's own is what it was") {
  const std::string made = with_libraries("", driver);
  const std::vector<std::string> lines = {"libnvidia-ml.so.1 => /usr/lib64/libnvidia-ml.so.1",
                                          "libcuda.so.580.65.06 => /usr/lib64/libcuda.so.580.65.06",
                                          "libcuda.so.1 => /usr/lib64/libcuda.so.1"};
  CHECK(listed(made) == lines);
  CHECK(is_made_by_us(made));
  CHECK(own_cache(made).empty());
  for (const char* format : {"new", "compat", "old"}) {
    INFO(format);
    const std::string own = cache_of({"/opt/lib"}, format);
    CHECK(!is_made_by_us(own));
    CHECK(own_cache(own) == own);
    if (std::string_view(format) == "old") continue;
    CHECK(own_cache(with_libraries(own, driver)) == own);
    CHECK(own_cache(with_libraries(with_libraries(own, driver), driver)) == own);
  }
}

TEST_CASE("loader cache: a library that the image lists at this path stays unchanged") {
  const std::string own = with_libraries("", driver);
  CHECK(listed(with_libraries(own, driver)) == listed(own));
}

TEST_CASE("loader cache: what glibc could not read, or only an old one, is refused") {
  const std::string why = "its /etc/ld.so.cache is damaged, or of a kind that Slipway cannot read";
  const std::string own = cache_of({"/opt/lib"}, "new");
  constexpr size_t entries = 20, first_name = 48 + 4, first_path = 48 + 8, extension = 32;
  const auto with = [&](size_t offset, uint32_t value) {
    std::string cache = own;
    cache.replace(offset, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
    return cache;
  };
  CHECK(refusal(own).empty());
  CHECK(refusal("text") == why);
  CHECK(refusal(cache_of({"/opt/lib"}, "old")) == why);
  CHECK(refusal(own.substr(0, 47)) == why);
  CHECK(refusal(own.substr(0, own.size() / 2)) == why);
  CHECK(refusal(with(entries, 1'000'000'000)) == why);
  CHECK(refusal(with(first_name, static_cast<uint32_t>(own.size()))) == why);
  CHECK(refusal(with(first_path, 0xffffffff)) == why);
  CHECK(refusal(with(extension, static_cast<uint32_t>(own.size()) - 4)) == why);
  std::string big_endian = own;
  big_endian[28] = 3;
  CHECK(refusal(big_endian) == why);
  CHECK(refusal(own + std::string(largest_loader_cache, '\0')) == why);
}

TEST_CASE("loader cache: libraries for newer processors stay in front of the others") {
  const TemporaryDirectory root;
  const std::string newer = "opt/lib/glibc-hwcaps/x86-64-v3";
  fs::create_directories(root.path() / "etc");
  fs::create_directories(root.path() / newer);
  write_file(root.path() / "etc/ld.so.conf", "/opt/lib\n");
  for (const std::string& folder : {std::string("opt/lib"), newer}) {
    fs::copy_file(c_library(), root.path() / folder / "libc.so.6");
  }
  run_checked({ldconfig, "-r", root.path()});
  const std::string own = read_file(root.path() / "etc/ld.so.cache");
  const std::string made = with_libraries(own, {{"libc.so.6", "/usr/lib64/libc.so.6"}});
  const std::vector<std::string> lines = {"libc.so.6 => /" + newer + "/libc.so.6",
                                          "libc.so.6 => /opt/lib/libc.so.6",
                                          "libc.so.6 => /usr/lib64/libc.so.6"};
  CHECK(listed(made) == lines);
  const TemporaryDirectory folder;
  write_file(folder.path() / "ld.so.cache", made);
  CHECK(run_checked({ldconfig, "-C", folder.path() / "ld.so.cache", "-p"})
            .find("hwcap: \"x86-64-v3\"") != std::string::npos);
}
