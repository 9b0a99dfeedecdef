// The GPU driver in a container.
#include "spank-plugins/container/driver.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include "common/error.h"
#include "spank-plugins/container/driver_files.h"
#include "spank-plugins/container/path_in_root.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

Fd found_in(int root, const std::string& path) {
  try {
    return find_in_root(root, path);
  } catch (const Error&) {
    return Fd();
  }
}

// "libcuda.so", "libcuda.so.1", but not "libcuda.so-old"
bool is_library(const std::string& file) {
  return std::ranges::any_of(driver_libraries, [&](const std::string library) {
    return file == library || file.starts_with(library + ".");
  });
}

std::vector<std::string> libraries_in(const Fd& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(name_of(folder.get()), none)) {
    std::string name = entry.path().filename().string();
    if (is_library(name)) names.push_back(std::move(name));
  }
  return names;
}

// Whether the image's loader searches the folder whatever its cache and variables say: it was built
// to find its C library. In images that are older than merged /usr, that is in /lib…
bool is_searched(int image, const std::string& folder) {
  const std::string library = "/libc.so.6", usr = "/usr";
  return found_in(image, folder + library) ||
         (folder.starts_with(usr + "/") && found_in(image, folder.substr(usr.size()) + library));
}

// The folder of the image for what the node has in `folder`; empty if no loader would look there.
std::string place_in_image(int image, const std::string& folder) {
  if (is_searched(image, folder)) return folder;
  for (const char* other : driver_library_folders) {
    if (is_searched(image, other)) return other;
  }
  return "";
}

MountLine line_for(const std::string& source, const std::string& target, const char* make) {
  return {source, target, "", {make, "rbind", "ro", "nosuid", "nodev"}};
}

// Each file once: one of the node's folders can be a link to another.
void add_libraries(const Roots& roots, const std::string& folder, std::set<std::string>& seen,
                   Driver& driver) {
  const Fd on_node = found_in(roots.node, folder);
  if (!on_node) return;
  std::string place = place_in_image(roots.container, folder);
  const bool extra = place.empty();
  if (extra) place = driver_extra_folder[0];
  for (const std::string& name : libraries_in(on_node)) {
    if (!seen.insert(name).second) continue;
    driver.libraries.push_back(line_for(folder + "/" + name, place + "/" + name, "x-create=file"));
    if (extra) driver.extra_folder = place;
  }
}

}  // namespace

bool wants_driver(const Environment& environment) {
  const auto visible = environment.find("NVIDIA_VISIBLE_DEVICES");
  return visible == environment.end() || visible->second != "void";
}

Driver driver_for(const Roots& roots) {
  Driver driver;
  std::set<std::string> seen;
  for (const char* folder : driver_library_folders) add_libraries(roots, folder, seen, driver);
  const auto add_found = [&](const char* path, const char* make) {
    if (found_in(roots.node, path)) driver.others.push_back(line_for(path, path, make));
  };
  for (const char* program : driver_programs) add_found(program, "x-create=file");
  for (const char* folder : driver_folders) add_found(folder, "x-create=dir");
  return driver;
}

}  // namespace slipway::container
