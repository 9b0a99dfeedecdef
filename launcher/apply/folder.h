// A deployment folder, as deploy, destroy and plan use it.
//
//   .slipway/journal.json       what was done (journal.h)
//   .slipway/applied/GROUP.json  the definitions of a group when it was applied
//   (definition_files.h) .slipway/log/GROUP.log       what Terraform or Packer said, each time
//   .slipway/plan/GROUP          Terraform's plan while it is asked about and applied
#pragma once

#include <filesystem>
#include <string>

#include "launcher/google/record.h"

namespace slipway::apply {

struct Folder {
  // Throws Error when it is none that `create` has made.
  explicit Folder(std::filesystem::path path);

  // Makes the folders that are written to.
  void prepare() const;

  std::filesystem::path group(const std::string& name) const { return path / name; }
  std::filesystem::path journal() const { return path / ".slipway/journal.json"; }
  std::filesystem::path applied(const std::string& name) const;
  std::filesystem::path log(const std::string& name) const;
  std::filesystem::path plan(const std::string& name) const;

  const google::GroupSteps* find(const std::string& name) const;

  std::filesystem::path path;  // absolute
  std::string shown;           // as the user names it
  google::Recorded recorded;
};

// Whether the path is a folder that `create` has made.
bool is_deployment_folder(const std::filesystem::path& path);

// "2026-11-21T18:03:05Z"
std::string now_utc();

}  // namespace slipway::apply
