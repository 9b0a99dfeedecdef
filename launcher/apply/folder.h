// A deployment folder, with the paths that deploy, destroy and plan use.
//
//   .slipway/journal.json        what was done (journal.h)
//   .slipway/applied/GROUP.json  a group's definitions when last applied (definition_files.h)
//   .slipway/log/GROUP.log       the output of Terraform and Packer, appended
//   .slipway/plan/GROUP          Terraform's plan until it is applied
#pragma once

#include <filesystem>
#include <string>

#include "launcher/google/record.h"

namespace slipway::apply {

struct Folder {
  // Throws Error if `create` did not write the folder.
  explicit Folder(std::filesystem::path path);

  // Creates the subfolders.
  void prepare() const;

  std::filesystem::path group(const std::string& name) const { return path / name; }
  std::filesystem::path journal() const { return path / ".slipway/journal.json"; }
  std::filesystem::path applied(const std::string& name) const;
  std::filesystem::path log(const std::string& name) const;
  std::filesystem::path plan(const std::string& name) const;

  const google::GroupSteps* find(const std::string& name) const;

  std::filesystem::path path;  // absolute
  std::string shown;           // as the user wrote it
  google::Recorded recorded;
};

// Whether the path is a folder that `create` wrote.
bool is_deployment_folder(const std::filesystem::path& path);

// "2026-11-21T18:03:05Z"
std::string now_utc();

}  // namespace slipway::apply
