// Builds, lists and removes node images for local clusters.
#include "launcher/local/image_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/process.h"
#include "common/text.h"
#include "common/utc.h"
#include "launcher/local/host_mounts.h"
#include "launcher/source/diagnostics.h"

namespace slipway::local {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* image_schema = "slipway/local-image/1";
constexpr const char* description = "image.json";
constexpr const char* mmdebstrap = "/usr/bin/mmdebstrap";
// Slipway is compiled in the image, which takes a busy machine with two processors hours.
constexpr std::chrono::hours build_deadline{4};
constexpr std::chrono::minutes longest_removal{5};
constexpr const char* gone_prefix = ".gone-";

// Reads the package's Slurm version: "slurm-wlm 24.11.5".
std::string slurm_version(const fs::path& root) {
  const std::string said =
      run_checked({"/usr/sbin/chroot", root.string(), "/usr/sbin/slurmctld", "-V"});
  const std::string line = said.substr(0, said.find('\n'));
  return line.substr(line.rfind(' ') + 1);
}

LocalImage read_image(const fs::path& folder) {
  const Json json = Json::parse(read_file(folder / description), nullptr, false);
  if (!json.is_object() || json.value("schema", "") != image_schema) {
    throw Error(fmt::format("{} does not describe an image", (folder / description).string()));
  }
  return {folder.filename().string(), json.value("release", ""), json.value("slurm", ""),
          json.value("built", ""), folder};
}

// Refuses to remove a folder that still has mounts below it.
void remove_folder(const fs::path& folder) {
  if (has_mounts_below(mount_points(read_file("/proc/self/mountinfo")), folder)) {
    throw Error(fmt::format("something is mounted below {}: `umount` it first", folder.string()));
  }
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) {
    throw Error(fmt::format("cannot remove {}: {}", folder.string(), error.message()));
  }
}

// Users open it for reading only, and so lock nobody out: common/file_lock.h.
Fd open_description(const LocalImage& image, int mode) {
  const fs::path file = image.folder / description;
  Fd opened(::open(file.c_str(), mode | O_CLOEXEC));
  if (!opened && errno == ENOENT) throw Error(fmt::format("there is no image `{}`", image.name));
  if (!opened) throw_errno(fmt::format("cannot open {}", file.string()));
  return opened;
}

// Removes images whose removal was interrupted.
void remove_gone(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(gone_prefix)) remove_folder(entry.path());
  }
}

void require_source(const fs::path& source) {
  if (fs::is_regular_file(source / "images/install.sh")) return;
  throw Error(fmt::format("`{}` is not a Slipway source tree: it has no images/install.sh",
                          source.string()));
}

// Runs in its own namespaces, so that its mounts are not visible outside and everything ends with
// us.
std::vector<std::string> mmdebstrap_for(const ImageRecipe& recipe, const std::string& install,
                                        const fs::path& root) {
  std::vector<std::string> argv = {
      "/usr/bin/unshare",
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "--mount-proc",
      mmdebstrap,
      "--variant=minbase",
      fmt::format("--customize-hook=copy-in {} /var/tmp", shell_quote(install)),
      "--customize-hook=chroot \"$1\" bash /var/tmp/install-node",
      "--customize-hook=rm \"$1\"/var/tmp/install-node"};
  for (const std::string& option : recipe.apt_options) argv.push_back("--aptopt=" + option);
  argv.insert(argv.end(), {recipe.release, root.string()});
  if (!recipe.mirror.empty()) argv.push_back(recipe.mirror);
  return argv;
}

}  // namespace

bool LocalImage::has_node_health() const {
  return fs::exists(root() / "opt/slipway/libexec/slipway/health");
}

std::vector<LocalImage> ImageStore::list() const {
  std::vector<LocalImage> images;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    if (fs::is_regular_file(entry.path() / description, ignored) &&
        !entry.path().filename().string().starts_with('.')) {
      try {
        images.push_back(read_image(entry.path()));
      } catch (const Error&) {
        // Otherwise it is being removed just now.
        if (fs::exists(entry.path() / description, ignored)) throw;
      }
    }
  }
  std::ranges::sort(images, {}, &LocalImage::name);
  return images;
}

LocalImage ImageStore::find(const std::string& name) const {
  std::vector<std::string> known;
  for (LocalImage& image : list()) {
    if (image.name == name) return std::move(image);
    known.push_back(image.name);
  }
  const std::string near = source::did_you_mean(name, known);
  throw Error(fmt::format("there is no image `{}`; {}", name,
                          near.empty() ? "`slipway image list` lists them" : near));
}

std::string ImageStore::name_of(const ImageRecipe& recipe) {
  require_source(recipe.source);
  // The release is one of the options in the digest.
  const std::string name = run_checked({"/bin/bash", (recipe.source / "images/name.sh").string(),
                                        "--without", "cloud", recipe.release});
  const std::string line = name.substr(0, name.find('\n'));
  return recipe.release + line.substr(line.rfind('-'));
}

LocalImage ImageStore::build(const ImageRecipe& recipe) const {
  if (::access(mmdebstrap, X_OK) != 0) {
    throw Error("this machine lacks mmdebstrap; as root: apt-get install mmdebstrap");
  }
  const std::string name = name_of(recipe);
  make_directories(folder_);
  const Fd lock = try_lock(folder_ / ".lock");
  if (!lock) throw Error("another image is being built");
  const fs::path unfinished = folder_ / ("." + name);
  remove_folder(unfinished);
  make_directories(unfinished);
  const std::string install = (unfinished / "install-node").string();
  run_checked(
      {"/bin/bash", (recipe.source / "images/pack.sh").string(), install, "--without", "cloud"});
  const ProcessResult made =
      run_process(mmdebstrap_for(recipe, install, unfinished / "root"), {"", build_deadline});
  if (!made.ok()) {
    write_file(unfinished / "log", made.output + made.errors, 0600);
    throw Error(fmt::format("cannot build the image ({}); the last output was: {}",
                            (unfinished / "log").string(), last_lines(unfinished / "log", 8)));
  }
  fs::remove(install);
  const Json json = {{"schema", image_schema},
                     {"release", recipe.release},
                     {"slurm", slurm_version(unfinished / "root")},
                     {"built", utc_text(std::time(nullptr))}};
  write_file(unfinished / description, json.dump(2) + "\n");
  fs::rename(unfinished, folder_ / name);
  return find(name);
}

void ImageStore::remove(const std::string& name) const {
  find(name);  // throws for an unknown name, which needs no lock
  const Fd removing = lock_within(folder_ / ".removing", longest_removal);
  if (!removing) throw Error("another image is being removed");
  remove_gone(folder_);
  const LocalImage image = find(name);
  const Fd lock = open_description(image, O_RDWR);
  if (!try_lock(lock, F_WRLCK))
    throw Error(fmt::format("a deployment runs from the image `{}`", name));
  if (has_mounts_below(mount_points(read_file("/proc/self/mountinfo")), image.folder)) {
    throw Error(
        fmt::format("something is mounted below {}: `umount` it first", image.folder.string()));
  }
  const fs::path gone = folder_ / (gone_prefix + name);
  fs::rename(image.folder, gone);
  remove_folder(gone);
}

fs::path image_root(const std::string& name) {
  return name.empty() ? fs::path("/") : ImageStore().find(name).root();
}

std::string name_of_image(const std::string& name) {
  return name.empty() ? "this machine's own root" : name;
}

Fd hold_image(const LocalImage& image) {
  Fd lock = open_description(image, O_RDONLY);
  if (!try_lock(lock, F_RDLCK))
    throw Error(fmt::format("the image `{}` is being removed", image.name));
  return lock;
}

bool is_held(const LocalImage& image) {
  const Fd file = open_description(image, O_RDONLY);
  return locks_of_others(file) != F_UNLCK;
}

}  // namespace slipway::local
