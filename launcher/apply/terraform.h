// One group and Terraform, or OpenTofu: they are run alike.
#pragma once

#include <optional>

#include "launcher/apply/changes.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

class Terraform {
 public:
  // All that follows shows what is wrong and throws Error.
  Terraform(Session& session, const google::GroupSteps& group) : session_(session), group_(group) {}

  // Fetches providers and modules, and says where the state is.
  void init();

  enum class Purpose { apply, destroy };
  // Plans; the plan is kept for apply(). Nothing when there is nothing to do. What is returned is
  // what `terraform show -json` says: secrets stand in it.
  std::optional<Json> plan(Purpose purpose);

  // Does what was planned.
  void apply(const GroupChanges& changes);

  // What the group gives to others: secrets stand in it.
  Json outputs();

  // Forgets the plan.
  void drop_plan() const;

  // Whether Terraform has a state with something in it, or keeps it elsewhere.
  bool has_state() const;

 private:
  struct Said {
    std::string summary, detail, address, file;
  };
  struct Heard;

  ChildResult run(std::vector<std::string> words, Heard* heard = nullptr);
  void hear(const std::string& line, Heard& heard);
  void hear_resource(const Json& message, Heard& heard);
  [[noreturn]] void fail(const std::string& doing, const Heard& heard, const ChildResult& result);
  void report(const std::string& doing, const Said& said);
  std::filesystem::path plan_file() const { return session_.folder.plan(group_.name); }

  Session& session_;
  const google::GroupSteps& group_;
};

}  // namespace slipway::apply
