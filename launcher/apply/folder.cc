// A deployment folder, with the paths that deploy, destroy and plan use.
#include "launcher/apply/folder.h"

#include <algorithm>
#include <ctime>

#include "common/file.h"
#include "common/utc.h"

namespace slipway::apply {

namespace fs = std::filesystem;

Folder::Folder(fs::path given)
    : path(fs::absolute(given).lexically_normal()),
      shown(given.string()),
      recorded(google::read_record(given)) {}

void Folder::prepare() const {
  for (const char* name : {"applied", "log", "plan"}) {
    make_directories(path / ".slipway" / name, 0700);
  }
}

fs::path Folder::applied(const std::string& name) const {
  return path / ".slipway/applied" / (name + ".json");
}

fs::path Folder::log(const std::string& name) const {
  return path / ".slipway/log" / (name + ".log");
}

fs::path Folder::plan(const std::string& name) const {
  return path / ".slipway/plan" / name;
}

const google::GroupSteps* Folder::find(const std::string& name) const {
  const auto found =
      std::find_if(recorded.groups.begin(), recorded.groups.end(),
                   [&](const google::GroupSteps& group) { return group.name == name; });
  return found == recorded.groups.end() ? nullptr : &*found;
}

bool is_deployment_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / google::record_file, ignored);
}

std::string now_utc() {
  return utc_text(std::time(nullptr));
}

}  // namespace slipway::apply
