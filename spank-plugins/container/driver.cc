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

Fd folder_in(int root, const std::string& path) {
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

// The folder in which the loader of the image finds what the node has in `folder`; or empty.
std::string place_in_image(int image, const std::string& folder) {
  if (folder_in(image, folder)) return folder;
  for (const char* other : driver_library_folders) {
    if (folder_in(image, other)) return other;
  }
  return "";
}

MountLine line_for(const std::string& source, const std::string& target, const char* make) {
  return {source, target, "", {make, "rbind", "ro", "nosuid", "nodev", "nofail"}};
}

}  // namespace

bool wants_driver(const Environment& environment) {
  const auto visible = environment.find("NVIDIA_VISIBLE_DEVICES");
  return visible == environment.end() || visible->second != "void";
}

std::vector<MountLine> driver_mounts(const Roots& roots) {
  std::vector<MountLine> lines;
  std::set<std::string> seen;  // one of these folders can be a link to another
  for (const std::string folder : driver_library_folders) {
    const Fd on_node = folder_in(roots.node, folder);
    const std::string place = on_node ? place_in_image(roots.container, folder) : "";
    if (place.empty()) continue;
    for (const std::string& name : libraries_in(on_node)) {
      if (!seen.insert(name).second) continue;
      lines.push_back(line_for(folder + "/" + name, place + "/" + name, "x-create=file"));
    }
  }
  for (const char* program : driver_programs) {
    if (folder_in(roots.node, program))
      lines.push_back(line_for(program, program, "x-create=file"));
  }
  for (const char* folder : driver_folders) {
    if (folder_in(roots.node, folder)) lines.push_back(line_for(folder, folder, "x-create=dir"));
  }
  return lines;
}

}  // namespace slipway::container
