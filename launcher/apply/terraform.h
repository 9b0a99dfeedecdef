// Runs Terraform or OpenTofu for a group.
#pragma once

#include <optional>

#include "launcher/apply/changes.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

class Terraform {
 public:
  // All functions report errors to the user, then throw Error.
  Terraform(Session& session, const google::GroupSteps& group) : session_(session), group_(group) {}

  // Runs `init`: downloads providers and modules, and configures the backend.
  void init();

  enum class Purpose { apply, destroy };
  // Plans and keeps the plan for apply(). Returns the output of `terraform show -json`, which
  // contains secrets; nothing if there are no changes.
  std::optional<Json> plan(Purpose purpose);

  // Applies the plan.
  void apply(const GroupChanges& changes);

  // The group's outputs, which may contain secrets.
  Json outputs();

  // Deletes the plan.
  void drop_plan() const;

  // Whether Terraform has a state that is not empty, or uses a backend.
  bool may_have_state() const;

  // Whether Terraform has a state that is not empty. Asks the backend, if there is one.
  bool has_state();

 private:
  struct Failure {
    std::string summary, detail, address, file;
  };
  struct Progress;

  ChildResult run(std::vector<std::string> words, Progress* progress = nullptr);
  void read_message(const std::string& line, Progress& progress);
  void read_resource_message(const Json& message, Progress& progress);
  [[noreturn]] void fail(const std::string& doing, const Progress& progress,
                         const ChildResult& result);
  void report(const std::string& doing, const Failure& failure);
  bool uses_backend() const;
  std::filesystem::path plan_file() const { return session_.folder.plan(group_.name); }

  Session& session_;
  const google::GroupSteps& group_;
};

}  // namespace slipway::apply
