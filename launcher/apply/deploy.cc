// Deploys the definitions in a deployment folder, group by group.
#include "launcher/apply/deploy.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"
#include "launcher/apply/definition_files.h"
#include "launcher/apply/inputs.h"
#include "launcher/apply/job_effects.h"
#include "launcher/apply/packer.h"
#include "launcher/apply/planned.h"
#include "launcher/apply/terraform.h"

namespace slipway::apply {
namespace {

using google::GroupSteps;

class Deploy {
 public:
  Deploy(Session& session, const DeployOptions& options)
      : session_(session), journal_(session.journal), options_(options) {}

  void run() {
    check_inputs();
    resumes_ = !journal_.finished;
    if (!resumes_) ++journal_.run;
    journal_.finished = false;
    if (!session_.programs.terraform.name.empty()) {
      journal_.program = session_.programs.terraform.name;
    }
    journal_.save();
    for (const GroupSteps& group : session_.folder.recorded.groups) {
      if (options_.selection.has(group.name)) make(group);
    }
    journal_.finished = true;
    journal_.save();
  }

 private:
  // Checks before the first change that excluded groups have the outputs that the others need.
  void check_inputs() const {
    for (const GroupSteps& group : session_.folder.recorded.groups) {
      if (!options_.selection.has(group.name)) continue;
      for (const GroupSteps::Input& input : group.inputs) {
        const GroupSteps* from = session_.folder.find(input.from_group);
        if (from == nullptr || options_.selection.has(from->name)) continue;
        const bool may_have = Terraform(session_, *from).may_have_state();
        if (may_have || journal_.known(from->name).may_exist()) continue;
        throw Error(
            fmt::format("group `{}` needs `{}` of group `{}`, which is excluded and not "
                        "deployed",
                        group.name, input.variable, from->name));
      }
    }
  }

  void make(const GroupSteps& group) {
    const Json inputs = inputs_of(group, outputs_);
    const GroupDefinitions definitions = read_definitions(session_.folder, group);
    const std::string digest = digest_of(definitions, inputs);
    const GroupState& was = journal_.group(group.name);
    const bool same = was.state == State::applied && was.digest == digest;
    const bool image_stands = same && group.kind == "packer" && !options_.rebuild;
    if (same && resumes_ && was.run == journal_.run) {
      session_.console.print(
          fmt::format("{}: already applied before the interruption ({})", group.name, was.since));
      return;
    }
    if (image_stands) {
      session_.console.print(fmt::format("{}: the image exists and is up to date{}", group.name,
                                         names_of(was.images)));
      mark(group, definitions, digest);
      return;
    }
    if (was.state == State::applying || was.state == State::failed) {
      session_.console.print(
          fmt::format("{}: resuming after an interruption ({})", group.name, was.since));
    }
    write_inputs(session_.folder, group, inputs);
    if (group.kind == "packer") {
      build(group);
    } else {
      apply(group, definitions);
    }
    outputs_.forget(group.name);
    mark(group, definitions, digest);
  }

  void mark(const GroupSteps& group, const GroupDefinitions& definitions,
            const std::string& digest) {
    write_applied(session_.folder, definitions);
    journal_.group(group.name).digest = digest;
    journal_.put(group.name, State::applied);
  }

  void apply(const GroupSteps& group, const GroupDefinitions& definitions) {
    Terraform terraform(session_, group);
    terraform.init();
    const auto plan = terraform.plan(Terraform::Purpose::apply);
    if (!plan) {
      terraform.drop_plan();
      session_.console.print(fmt::format("{}: up to date", group.name));
      return;
    }
    const auto before = read_applied(session_.folder, group.name);
    const GroupChanges changes = planned(*plan, definitions, before ? &*before : nullptr);
    session_.console.print(
        fmt::format("{}: {}\n{}", group.name, summary(changes), trim_end(to_text(changes))));
    show_effects(group, *plan);
    approve(fmt::format("Apply this to group `{}`?", group.name));
    journal_.put(group.name, State::applying);
    try {
      terraform.apply(changes);
    } catch (const Error&) {
      journal_.put(group.name, State::failed);
      throw;
    }
    session_.console.print(fmt::format("{}: applied", group.name));
  }

  void show_effects(const GroupSteps& group, const Json& plan) const {
    const std::vector<std::string> effects = effects_on_jobs(plan);
    if (effects.empty()) return;
    session_.console.print(
        fmt::format("{}: running jobs:\n  {}", group.name, join(effects, "\n  ")));
  }

  void build(const GroupSteps& group) {
    Packer packer(session_, group);
    packer.prepare();
    session_.console.print(fmt::format("{}: an image will be built", group.name));
    approve(fmt::format("Build the image of group `{}`?", group.name));
    journal_.put(group.name, State::applying);
    std::vector<Image> made;
    try {
      made = packer.build();
    } catch (const Error&) {
      journal_.put(group.name, State::failed);
      throw;
    }
    // Earlier images stay until the user removes them, since machines may use them.
    auto& images = journal_.group(group.name).images;
    for (const Image& image : made) {
      std::erase_if(images, [&](const Image& earlier) { return earlier.name == image.name; });
      images.push_back(image);
    }
    session_.console.print(fmt::format("{}: built{}", group.name, names_of(made)));
  }

  void approve(const std::string& question) {
    if (!options_.auto_approve) session_.console.require_approval(question, session_.interrupts);
  }

  static std::string names_of(const std::vector<Image>& images) {
    std::vector<std::string> names;
    for (const Image& image : images) names.push_back(image.name);
    return names.empty() ? "" : ": " + join(names, ", ");
  }

  static std::string trim_end(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  Session& session_;
  Journal& journal_;
  const DeployOptions& options_;
  Outputs outputs_{session_};
  bool resumes_ = false;  // continuing an interrupted deploy
};

void add_names(const std::vector<GroupSteps>& groups, const std::vector<std::string>& lists,
               std::set<std::string>& names) {
  std::vector<std::string> known;
  for (const GroupSteps& group : groups) known.push_back(group.name);
  for (const std::string& list : lists) {
    for (const std::string& name : split(list, ',')) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string guess = nearest(name, known);
        throw UsageError(fmt::format("there is no group `{}`; {}", name,
                                     guess.empty() ? "the groups are: " + join(known, ", ")
                                                   : fmt::format("did you mean `{}`?", guess)));
      }
      names.insert(name);
    }
  }
}

}  // namespace

Selection select(const std::vector<GroupSteps>& groups, const std::vector<std::string>& only,
                 const std::vector<std::string>& skip) {
  Selection selection;
  add_names(groups, only, selection.only);
  add_names(groups, skip, selection.skip);
  return selection;
}

void deploy(Session& session, const DeployOptions& options) {
  Deploy(session, options).run();
}

}  // namespace slipway::apply
