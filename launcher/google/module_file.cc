// A module of the library as the resources that it becomes; a foreign one as a call of it.
#include "launcher/google/module_file.h"

#include <fmt/format.h>

#include "launcher/google/providers.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using blueprint::ResourceSet;
using expression::Value;
using modules::Resource;

std::string address(const Resource& resource, const ResourceSet::Member& member) {
  return (resource.looked_up ? "data." : "") + resource.type + "." + member.name;
}

class ModuleFile {
 public:
  ModuleFile(const blueprint::Deployment& deployment, const Module& module,
             blueprint::Evaluation& evaluation, Links& links, GroupContents& contents,
             source::Diagnostics& diagnostics)
      : deployment_(deployment),
        module_(module),
        evaluation_(evaluation),
        links_(links),
        contents_(contents),
        diagnostics_(diagnostics) {}

  Json write() {
    Json file{{"//", fmt::format("module `{}` of the blueprint: {}", module_.id, module_.source)}};
    for (const Resource& resource : *module_.interface->resources) {
      try {
        for (const auto& member : evaluation_.resource_set(module_, resource).members) {
          const Value body = evaluation_.resource_body(module_, resource, member);
          add(file, resource, member, links_.resolve(body, contents_.index));
        }
      } catch (const expression::ExpressionError& error) {
        evaluation_.say_within(module_, resource.body, error);
      }
    }
    return file;
  }

 private:
  void add(Json& file, const Resource& resource, const ResourceSet::Member& member,
           const Value& body) {
    const auto [other, fresh] = contents_.resources.emplace(address(resource, member), &module_);
    if (!fresh) {
      diagnostics_
          .error(source::Code::duplicate_id, module_.id_span,
                 fmt::format("a resource of module `{}` has the name `{}`, which one of module "
                             "`{}` has",
                             module_.id, other->first, other->second->id))
          .other(other->second->id_span, "the other module");
    }
    Json out = to_terraform(body, Nulls::left_out);
    lifecycle(out);
    Json needs = depends_on(resource);
    if (!needs.empty()) out["depends_on"] = std::move(needs);
    const auto provider = out.find("provider");
    contents_.providers.insert(provider == out.end() ? provider_of(resource.type)
                                                     : provider->get<std::string>());
    file[resource.looked_up ? "data" : "resource"][resource.type][member.name] = std::move(out);
  }

  // There Terraform wants names, not values.
  static void lifecycle(Json& out) {
    const auto rules = out.find("lifecycle");
    if (rules == out.end() || !rules->contains("replace_triggered_by")) return;
    for (Json& reference : (*rules)["replace_triggered_by"]) {
      auto text = reference.get<std::string>();
      if (text.starts_with("${")) reference = text.substr(2, text.size() - 3);
    }
  }

  Json depends_on(const Resource& resource) {
    Json needs = Json::array();
    for (const std::string& name : resource.depends_on) {
      add_needs(needs, module_, *module_.interface->resource(name));
    }
    for (const blueprint::Use& use : module_.depends_on) {
      const auto [other, group] = deployment_.find(use.module);
      if (other == nullptr || group != contents_.index || other->interface == nullptr) continue;
      if (other->interface->foreign) needs.push_back("module." + other->id);
      if (!other->interface->resources) continue;
      for (const Resource& made : *other->interface->resources) add_needs(needs, *other, made);
    }
    return needs;
  }

  void add_needs(Json& needs, const Module& module, const Resource& resource) {
    for (const auto& member : evaluation_.resource_set(module, resource).members) {
      needs.push_back(address(resource, member));
    }
  }

  const blueprint::Deployment& deployment_;
  const Module& module_;
  blueprint::Evaluation& evaluation_;
  Links& links_;
  GroupContents& contents_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

Json module_file(const blueprint::Deployment& deployment, const Module& module,
                 blueprint::Evaluation& evaluation, Links& links, GroupContents& contents,
                 source::Diagnostics& diagnostics) {
  return ModuleFile(deployment, module, evaluation, links, contents, diagnostics).write();
}

}  // namespace slipway::google
