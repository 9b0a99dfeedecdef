// Keeps files of an existing deployment folder when it is overwritten.
#include "launcher/google/kept_files.h"

#include <fmt/core.h>

#include <fcntl.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/text.h"
#include "launcher/google/instructions.h"
#include "launcher/google/record.h"

namespace slipway::google {
namespace {

namespace fs = std::filesystem;

// Terraform's files for a group, which are useless without it.
bool is_terraform_file(const std::string& name) {
  return name.starts_with(".terraform") || name.starts_with("terraform.tfstate") ||
         name == terraform_inputs || name == packer_inputs;
}

nlohmann::json parse(const fs::path& file) {
  const std::string text = read_file(file);
  if (text.empty()) return nlohmann::json::object();  // Terraform was killed before writing
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("cannot read the state in `{}`: it is not JSON", file.string()));
  }
}

// Terraform locks its state with fcntl and writes a file with the owner. A killed one leaves the
// file.
bool is_terraform_running(const fs::path& group) {
  if (!fs::exists(group / ".terraform.tfstate.lock.info")) return false;
  const Fd state(::open((group / "terraform.tfstate").c_str(), O_RDONLY | O_CLOEXEC));
  return state && locks_of_others(state) != F_UNLCK;
}

// Why a group must not be removed; empty if nothing would be lost.
std::string reason_to_keep(const fs::path& group) {
  if (const fs::path state = group / "terraform.tfstate"; fs::exists(state)) {
    const nlohmann::json resources = parse(state).value("resources", nlohmann::json::array());
    if (!resources.empty()) return fmt::format("its state has {} resources", resources.size());
  }
  // The backend, if the state is not local.
  if (const fs::path remote = group / ".terraform/terraform.tfstate"; fs::exists(remote)) {
    const nlohmann::json backend = parse(remote).value("backend", nlohmann::json::object());
    const std::string type = backend.value("type", "");
    if (!type.empty() && type != "local") {
      return fmt::format("its state is in the backend `{}`", type);
    }
  }
  return {};
}

// The folder as an argument of `slipway destroy`, which takes a name without a slash for a local
// deployment.
std::string path_argument(const fs::path& folder) {
  const std::string text = folder.string();
  return shell_quote(text.find('/') == std::string::npos ? "./" + text : text);
}

}  // namespace

KeptFiles::KeptFiles(const fs::path& folder, const Definitions& definitions) : folder_(folder) {
  const Recorded recorded = read_record(folder);
  std::set<std::string> dropped;
  for (const GroupSteps& group : recorded.groups) {
    if (is_terraform_running(folder / group.name)) {
      throw Error(fmt::format("Terraform is running in `{}`", (folder / group.name).string()));
    }
    const bool stays = std::any_of(definitions.groups.begin(), definitions.groups.end(),
                                   [&](const GroupSteps& steps) {
                                     return steps.name == group.name && steps.kind == group.kind;
                                   });
    if (stays) continue;
    dropped.insert(group.name);
    const std::string deployed = reason_to_keep(folder / group.name);
    if (deployed.empty()) continue;
    throw Error(
        fmt::format("group `{}` is no longer in the blueprint, but it is deployed: {}; "
                    "destroy it first: slipway destroy {} --only {}",
                    group.name, deployed, path_argument(folder), shell_quote(group.name)));
  }
  find_files("", recorded.files, dropped);
}

void KeptFiles::find_files(const std::string& path, const std::set<std::string>& ours,
                           const std::set<std::string>& dropped) {
  for (const auto& entry : fs::directory_iterator(folder_ / path)) {
    const std::string name = entry.path().filename().string();
    const std::string inner = path.empty() ? name : path + "/" + name;
    if (dropped.contains(path) && is_terraform_file(name)) continue;
    if (fs::is_directory(entry.symlink_status())) {
      find_files(inner, ours, dropped);
    } else if (!ours.contains(inner)) {
      paths_.push_back(inner);
    }
  }
}

void KeptFiles::link_into(const fs::path& folder, const std::set<std::string>& written) const {
  for (const std::string& path : paths_) {
    if (written.contains(path)) {
      throw Error(fmt::format("`{}` is your file and would be overwritten; move it away",
                              (folder_ / path).string()));
    }
    make_directories((folder / path).parent_path());
    if (fs::is_symlink(folder_ / path)) {
      fs::copy_symlink(folder_ / path, folder / path);
    } else {
      fs::create_hard_link(folder_ / path, folder / path);
    }
  }
}

}  // namespace slipway::google
