// Destroys what a deployment folder deployed.
#include "launcher/apply/destroy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/apply/definition_files.h"
#include "launcher/apply/images.h"
#include "launcher/apply/inputs.h"
#include "launcher/apply/planned.h"
#include "launcher/apply/terraform.h"

namespace slipway::apply {
namespace {

using google::GroupSteps;

class Destroy {
 public:
  Destroy(Session& session, const DestroyOptions& options)
      : session_(session), journal_(session.journal), options_(options) {}

  void run() {
    // The definitions have Terraform delete machines, too, for those who run it by hand.
    ::setenv("SLIPWAY_DESTROYS", "1", 1);
    check_users();
    find_gcloud();
    find_clusters();
    const std::vector<GroupSteps>& groups = session_.folder.recorded.groups;
    for (size_t i = groups.size(); i-- > 0;) {
      if (!options_.selection.has(groups[i].name)) continue;
      if (groups[i].kind == "packer") {
        remove_images(groups[i]);
      } else {
        destroy_group(groups[i]);
      }
    }
    journal_.finished = true;
    journal_.save();
  }

 private:
  bool stands(const GroupSteps& group) const {
    if (journal_.known(group.name).may_exist()) return true;
    return group.kind == "terraform" && Terraform(session_, group).has_state();
  }

  bool goes(const GroupSteps& group) const {
    return options_.selection.has(group.name) && (group.kind != "packer" || options_.images);
  }

  // Checks before the first change that no remaining group uses a group to destroy.
  void check_users() const {
    for (const GroupSteps& group : session_.folder.recorded.groups) {
      if (options_.selection.has(group.name) || !stands(group)) continue;
      std::vector<std::string> used = session_.places.used_by(group.name);
      for (const GroupSteps::Input& input : group.inputs) used.push_back(input.from_group);
      for (const std::string& name : used) {
        const GroupSteps* other = session_.folder.find(name);
        if (other == nullptr || !goes(*other) || !stands(*other)) continue;
        throw Error(
            fmt::format("cannot destroy group `{}`: group `{}` is deployed and uses it; "
                        "destroy that group, too",
                        name, group.name));
      }
    }
  }

  void find_gcloud() {
    if (!options_.images) return;
    for (const auto& [name, group] : journal_.groups()) {
      if (!options_.selection.has(name)) continue;
      if (std::none_of(group.images.begin(), group.images.end(), is_removable)) continue;
      const auto found = find_in_path("gcloud");
      if (!found) throw Error("`gcloud` is needed to remove images, but it is not in PATH");
      gcloud_ = *found;
    }
  }

  // A cluster's parts may be in several groups; all of them are needed to find its machines.
  void find_clusters() {
    if (!options_.made_machines.find) return;
    for (const GroupSteps& group : session_.folder.recorded.groups) {
      if (group.kind == "packer") continue;
      add_slurm_clusters(definitions_of(group).documents, clusters_);
    }
  }

  GroupDefinitions definitions_of(const GroupSteps& group) const {
    const auto applied = read_applied(session_.folder, group.name);
    return applied ? *applied : read_definitions(session_.folder, group);
  }

  // The clusters that have a part in the group, with the machines that Slurm made.
  std::map<std::string, std::vector<std::string>> made_for(const GroupSteps& group) const {
    std::map<std::string, std::vector<std::string>> made;
    if (!options_.made_machines.find) return made;
    std::map<std::string, SlurmCluster> parts;
    add_slurm_clusters(definitions_of(group).documents, parts);
    for (const auto& [name, part] : parts) {
      made[name] = options_.made_machines.find(clusters_.at(name));
    }
    return made;
  }

  void show_made(const GroupSteps& group,
                 const std::map<std::string, std::vector<std::string>>& made) const {
    for (const auto& [cluster, names] : made) {
      if (names.empty()) continue;
      const bool keeps = clusters_.at(cluster).keeps_machines;
      session_.console.print(fmt::format(
          "{}: {} {} that Slurm started: {}{}", group.name, keeps ? "keeps" : "also deletes",
          counted(names.size(), "machine"), some_of(names),
          keeps
              ? "\n  They go on running and cost money (`enable_cleanup_compute` is false). Their "
                "networks cannot be destroyed until you delete them."
              : ""));
    }
  }

  void remove_made(const GroupSteps& group,
                   const std::map<std::string, std::vector<std::string>>& made) const {
    for (const auto& [cluster, names] : made) {
      if (clusters_.at(cluster).keeps_machines) continue;
      options_.made_machines.remove(clusters_.at(cluster), [&](const std::string& line) {
        session_.console.print(fmt::format("{}: {}", group.name, line));
      });
    }
  }

  static std::string some_of(std::vector<std::string> names) {
    constexpr size_t most = 8;
    const size_t rest = names.size() > most ? names.size() - most : 0;
    names.resize(names.size() - rest);
    return join(names, ", ") + (rest > 0 ? fmt::format(" and {} more", rest) : "");
  }

  void destroy_group(const GroupSteps& group) {
    if (!stands(group)) {
      session_.console.print(fmt::format("{}: not deployed", group.name));
      return;
    }
    const auto made = made_for(group);
    Terraform terraform(session_, group);
    // Terraform needs a value for every variable. Those of the last deploy are in a file, unless it
    // was killed before it wrote them.
    if (!group.inputs.empty() && !std::filesystem::exists(inputs_file(session_.folder, group))) {
      write_inputs(session_.folder, group, inputs_of(group, outputs_));
    }
    terraform.init();
    const auto plan = terraform.plan(Terraform::Purpose::destroy);
    const bool has_made = std::ranges::any_of(made, [&](const auto& one) {
      return !one.second.empty() && !clusters_.at(one.first).keeps_machines;
    });
    if (plan) {
      const auto before = read_applied(session_.folder, group.name);
      const GroupDefinitions now = read_definitions(session_.folder, group);
      const GroupChanges changes = planned(*plan, now, before ? &*before : nullptr);
      session_.console.print(
          fmt::format("{}: {}\n{}", group.name, summary(changes), text_without_end(changes)));
      show_made(group, made);
      approve(fmt::format("Destroy group `{}`?", group.name));
      journal_.put(group.name, State::destroying);
      remove_made(group, made);
      terraform.apply(changes);
      // A request that was under way when the controller went may have been fulfilled since.
      remove_made(group, made);
    } else if (has_made) {
      show_made(group, made);
      approve(fmt::format("Delete the machines of group `{}`?", group.name));
      remove_made(group, made);
    }
    forget(group);
    session_.console.print(fmt::format("{}: destroyed", group.name));
  }

  void remove_images(const GroupSteps& group) {
    std::vector<Image>& images = journal_.group(group.name).images;
    if (images.empty()) {
      forget(group);
      return;
    }
    std::vector<std::string> names;
    for (const Image& image : images) names.push_back(to_text(image));
    if (!options_.images) {
      session_.console.print(
          fmt::format("{}: kept: {} (`--images` removes it, too)", group.name, join(names, ", ")));
      return;
    }
    session_.console.print(fmt::format("{}: will be removed: {}", group.name, join(names, ", ")));
    approve(fmt::format("Remove the images of group `{}`?", group.name));
    while (!images.empty()) {
      const Image image = images.back();
      if (is_removable(image)) {
        remove_image(session_, group.name, image, gcloud_);
      } else {
        session_.console.print(fmt::format("{}: remove {} of the builder `{}` yourself", group.name,
                                           to_text(image), image.builder));
      }
      images.pop_back();
      journal_.put(group.name, State::destroying);
    }
    forget(group);
    session_.console.print(fmt::format("{}: removed", group.name));
  }

  void forget(const GroupSteps& group) {
    std::error_code ignored;
    std::filesystem::remove(session_.folder.applied(group.name), ignored);
    if (!group.inputs.empty()) {
      std::filesystem::remove(inputs_file(session_.folder, group), ignored);
    }
    journal_.group(group.name).digest.clear();
    journal_.put(group.name, State::absent);
  }

  void approve(const std::string& question) {
    if (!options_.auto_approve) session_.console.require_approval(question, session_.interrupts);
  }

  static std::string text_without_end(const GroupChanges& changes) {
    std::string text = to_text(changes);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  Session& session_;
  Journal& journal_;
  const DestroyOptions& options_;
  Outputs outputs_{session_};
  std::filesystem::path gcloud_;
  std::map<std::string, SlurmCluster> clusters_;  // by name
};

}  // namespace

void destroy(Session& session, const DestroyOptions& options) {
  Destroy(session, options).run();
}

}  // namespace slipway::apply
