// Sets up and checks the backends of groups, and the inputs of validators.
#include "launcher/blueprint/backends.h"

#include <fmt/core.h>

#include <algorithm>

#include "launcher/blueprint/evaluation.h"
#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

using expression::ExpressionError;
using expression::Literal;
using expression::ObjectExpression;
using expression::Value;
using source::Code;

// https://developer.hashicorp.com/terraform/language/backend/gcs
const std::vector<std::string> gcs_settings = {"access_token",
                                               "bucket",
                                               "credentials",
                                               "encryption_key",
                                               "impersonate_service_account",
                                               "impersonate_service_account_delegates",
                                               "kms_encryption_key",
                                               "prefix",
                                               "storage_custom_endpoint"};

// The value of a member of a mapping; null if it is missing.
const Value* member(const Value& mapping, std::string_view name) {
  const auto* object = mapping.as<Value::Object>();
  if (object == nullptr) return nullptr;
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &found->second;
}

class Finish {
 public:
  Finish(Deployment& deployment, source::Diagnostics& diagnostics)
      : deployment_(deployment), diagnostics_(diagnostics), evaluation_(deployment, diagnostics) {}

  void run() {
    for (Group& group : deployment_.groups) {
      if (!group.modules.empty() && group.modules[0].kind == "packer") continue;
      if (deployment_.backend_defaults) take_default(group);
      if (group.backend && group.backend->configuration) configure(*group.backend);
    }
    for (const Validator& validator : deployment_.validators) {
      for (const auto& [name, input] : validator.inputs) check(validator, name, input);
    }
  }

 private:
  void take_default(Group& group) {
    if (!group.backend) group.backend = deployment_.backend_defaults;
    if (group.backend->type != "gcs") return;
    ObjectExpression configuration{{}, expression::Form::yaml};
    if (group.backend->configuration) {
      configuration = *group.backend->configuration->as<ObjectExpression>();
    }
    for (const expression::ObjectItem& item : configuration.items) {
      if (item.key->as<Literal>()->value == Value("prefix")) return;
    }
    const std::string prefix =
        fmt::format("{}/{}/{}", deployment_.blueprint_name, deployment_.name, group.name);
    configuration.items.push_back({expression::make({}, Literal{Value("prefix")}),
                                   expression::make({}, Literal{Value(prefix)}), false});
    group.backend->configuration = expression::make(group.backend->span, std::move(configuration));
  }

  void configure(Backend& backend) {
    const auto value = known(backend.configuration, "a backend's configuration");
    if (!value) return;
    if (backend.type == "gcs") check_keys(backend, gcs_settings);
    const Value* bucket = member(*value, "bucket");
    if (backend.type == "gcs" && bucket != nullptr && bucket->is_null()) {
      diagnostics_
          .warning(Code::variable_not_set, place_of(backend, "bucket"),
                   "the bucket of the backend has no value")
          .help("set it before you deploy");
    }
    backend.configuration =
        to_expression(*value, backend.configuration->span, expression::Form::yaml);
  }

  void check_keys(const Backend& backend, const std::vector<std::string>& known) {
    for (const auto& item : backend.configuration->as<ObjectExpression>()->items) {
      const auto* name = item.key->as<Literal>()->value.as<std::string>();
      if (name == nullptr || std::ranges::find(known, *name) != known.end()) continue;
      diagnostics_
          .error(Code::unknown_setting, item.key->span,
                 fmt::format("the backend `{}` has no setting `{}`", backend.type, *name))
          .help(source::did_you_mean(*name, known));
    }
  }

  static Span place_of(const Backend& backend, std::string_view name) {
    for (const auto& item : backend.configuration->as<ObjectExpression>()->items) {
      if (item.key->as<Literal>()->value == Value(std::string(name))) return item.key->span;
    }
    return backend.span;
  }

  void check(const Validator& validator, const std::string& name, const Setting& input) {
    const auto value = known(input.value, "an input of a validator");
    if (!value || value->as<std::string>() != nullptr) return;
    diagnostics_.error(Code::type_mismatch, input.place(),
                       fmt::format("`{}` of the validator `{}` must be a string, not {}", name,
                                   validator.name, describe(*value)));
  }

  // The value; nothing, and a diagnostic, if it is not known before deployment.
  std::optional<Value> known(const ExpressionPtr& expression, std::string_view what) {
    try {
      Value value = evaluation_.evaluate(expression);
      if (value.is_known()) return value;
      // References to something that does not exist have already been reported.
      if (diagnostics_.errors() == 0) {
        diagnostics_.error(Code::cannot_evaluate, expression->span,
                           fmt::format("{} must be known before deployment", what));
      }
    } catch (const ExpressionError& error) {
      report(error, expression->span, diagnostics_);
    }
    return std::nullopt;
  }

  Deployment& deployment_;
  source::Diagnostics& diagnostics_;
  Evaluation evaluation_;
};

}  // namespace

void finish_backends(Deployment& deployment, source::Diagnostics& diagnostics) {
  Finish(deployment, diagnostics).run();
}

}  // namespace slipway::blueprint
