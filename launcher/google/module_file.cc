// Writes the resources of a library module.
#include "launcher/google/module_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/google/providers.h"
#include "launcher/google/toolkit.h"
#include "launcher/modules/becomes.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using blueprint::ResourceSet;
using expression::Value;
using modules::Resource;

bool is_call(const Resource& resource) {
  return resource.type == modules::toolkit_call_type;
}

std::string address(const Resource& resource, const ResourceSet::Member& member) {
  if (is_call(resource)) return "module." + member.name;
  return (resource.looked_up ? "data." : "") + resource.type + "." + member.name;
}

// All expressions of a resource, to find the failing one.
expression::ExpressionPtr whole(const Resource& resource) {
  expression::Tuple all;
  for (const auto& part : {resource.when, resource.for_each, resource.body}) {
    if (part) all.items.push_back(part);
  }
  return expression::make(resource.span, std::move(all));
}

void add_needs(Context& context, Json& needs, const Module& module, const Resource& resource) {
  try {
    for (const auto& member : context.evaluation.resource_set(module, resource).members) {
      needs.push_back(address(resource, member));
    }
  } catch (const expression::ExpressionError& error) {
    context.evaluation.report_in_module(module, whole(resource), error);
  }
}

// The references in a value without the `${…}`; for a resource with `for_each`, to all its members.
void add_references(const Json& value, Json& names) {
  if (value.is_structured()) {
    for (const Json& member : value) add_references(member, names);
  } else if (value.is_string()) {
    const auto text = value.get<std::string>();
    names.push_back(text.starts_with("${") ? text.substr(2, text.size() - 3) : text);
  }
}

// In replace_triggered_by, Terraform needs names, not values.
void name_triggers(Json& body) {
  const auto rules = body.find("lifecycle");
  if (rules == body.end() || !rules->contains("replace_triggered_by")) return;
  Json names = Json::array();
  add_references((*rules)["replace_triggered_by"], names);
  (*rules)["replace_triggered_by"] = std::move(names);
}

class ModuleFile {
 public:
  ModuleFile(Context& context, const Module& module, GroupContents& contents)
      : context_(context), module_(module), contents_(contents) {}

  Json write() {
    Json file = head(module_);
    module_needs_ = needs_of_module(context_, module_, contents_.index);
    for (const Resource& resource : *module_.interface->resources) add(file, resource);
    return file;
  }

 private:
  void add(Json& file, const Resource& resource) {
    try {
      for (const auto& member : context_.evaluation.resource_set(module_, resource).members) {
        check_name(address(resource, member));
        Value body = context_.evaluation.resource_body(module_, resource, member);
        if (is_call(resource)) {
          file["module"][member.name] = call(member.name, std::move(body));
          continue;
        }
        Json& types = file[resource.looked_up ? "data" : "resource"];
        Json& text = types[resource.type][member.name];
        text = written(resource, std::move(body));
        if (!resource.looked_up) context_.resources.check(module_, resource.type, text);
      }
    } catch (const expression::ExpressionError& error) {
      context_.evaluation.report_in_module(module_, whole(resource), error);
    }
  }

  Json written(const Resource& resource, Value body) {
    Json out =
        to_terraform(context_.links.resolve(std::move(body), contents_.index), Nulls::left_out);
    name_triggers(out);
    Json needs = Json::array();
    for (const std::string& name : resource.depends_on) {
      add_needs(context_, needs, module_, *module_.interface->resource(name));
    }
    needs.insert(needs.end(), module_needs_.begin(), module_needs_.end());
    if (!needs.empty()) out["depends_on"] = std::move(needs);
    const auto provider = out.find("provider");
    ProviderVersion& least =
        contents_.providers[provider == out.end() ? provider_of(resource.type)
                                                  : provider->get<std::string>()];
    least = std::max(least, context_.providers.needed_by(resource.type, out));
    contents_.terraform =
        std::max(contents_.terraform, context_.providers.terraform_needed_by(resource.type, out));
    return out;
  }

  // A call of a module of Cluster Toolkit's. Terraform lets no module wait that configures
  // providers itself, so it has no `depends_on`: its inputs make it wait.
  Json call(const std::string& name, Value body) {
    Json inputs =
        to_terraform(context_.links.resolve(std::move(body), contents_.index), Nulls::left_out);
    Json out{{"source", toolkit_source(context_.deployment, module_, inputs.at("path"))}};
    for (const Json& provider : inputs.at("providers")) {
      contents_.foreign_providers.insert(provider);
      contents_.providers.try_emplace(provider);
    }
    for (const auto& [input, value] : inputs.items()) {
      if (input != "path" && input != "providers") out[input] = value;
    }
    for (const Module& other : contents_.group->modules) {
      if (other.id != name || !modules::is_called(*other.interface)) continue;
      taken("a call", name, other);
    }
    return out;
  }

  void check_name(const std::string& name) {
    const auto [other, fresh] = contents_.resources.emplace(name, &module_);
    if (!fresh) taken("a resource", name, *other->second);
  }

  void taken(const char* what, const std::string& name, const Module& other) {
    context_.diagnostics
        .error(source::Code::duplicate_id, module_.id_span,
               fmt::format("{0} of module `{1}` gets the name `{2}`, which {0} of module `{3}` "
                           "already has",
                           what, module_.id, name, other.id))
        .other(other.id_span, "the other module");
  }

  Context& context_;
  const Module& module_;
  GroupContents& contents_;
  Json module_needs_;
};

}  // namespace

Json module_file(Context& context, const Module& module, GroupContents& contents) {
  return ModuleFile(context, module, contents).write();
}

Json head(const Module& module) {
  return {{"//", fmt::format("module `{}` of the blueprint: {}", module.id, module.source)}};
}

Json needs_of_module(Context& context, const Module& module, size_t group) {
  Json needs = Json::array();
  for (const blueprint::Use& use : module.depends_on) {
    const auto [other, made_in] = context.deployment.find(use.module);
    if (other == nullptr || made_in != group || other->interface == nullptr) continue;
    if (other->interface->foreign) needs.push_back("module." + other->id);
    if (!other->interface->resources) continue;
    for (const Resource& made : *other->interface->resources) {
      add_needs(context, needs, *other, made);
    }
  }
  return needs;
}

}  // namespace slipway::google
