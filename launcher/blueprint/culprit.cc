// Finds the setting that made an expression in a module's file fail.
#include "launcher/blueprint/culprit.h"

#include <set>

#include "launcher/modules/resource_reader.h"

namespace slipway::blueprint {
namespace {

using expression::Traversal;

class Culprit {
 public:
  explicit Culprit(const Module& module) : module_(module) {}

  const std::string* find(const ExpressionPtr& expression, Span failed) {
    failed_ = failed;
    search(expression, false);
    return written_ != nullptr ? written_ : set_;
  }

 private:
  void search(const ExpressionPtr& expression, bool all) {
    expression::for_each_reference(expression, [&](const Traversal& traversal, Span span) {
      const bool part = all || (span.begin >= failed_.begin && span.end <= failed_.end);
      const std::string* name = name_after(traversal, 0);
      if (name == nullptr || !seen_.insert({traversal.root + "." + *name, part}).second) return;
      if (traversal.root == "local") {
        const auto local = module_.interface->locals.find(*name);
        if (local != module_.interface->locals.end()) search(local->second, part);
      } else if (traversal.root == "output") {
        const auto* output = module_.interface->output(*name);
        if (output != nullptr && output->value) search(output->value, part);
      } else if (traversal.root == "input" && part) {
        take(*name);
      } else if (const auto* resource =
                     module_.interface->resource(modules::resource_reference(traversal))) {
        if (resource->when) search(resource->when, part);
        if (resource->for_each) search(resource->for_each, part);
      }
    });
  }

  void take(const std::string& name) {
    const auto setting = module_.settings.find(name);
    if (setting == module_.settings.end()) return;
    if (set_ == nullptr) set_ = &setting->first;
    const bool written = setting->second.origin == Origin::blueprint;
    if (written && written_ == nullptr) written_ = &setting->first;
  }

  const Module& module_;
  Span failed_;
  std::set<std::pair<std::string, bool>> seen_;
  const std::string* written_ = nullptr;
  const std::string* set_ = nullptr;
};

}  // namespace

const std::string* name_after(const Traversal& traversal, size_t step) {
  if (traversal.steps.size() <= step) return nullptr;
  const expression::Step& found = traversal.steps[step];
  return found.kind == expression::Step::Kind::attribute ? &found.name : nullptr;
}

const std::string* find_culprit(const Module& module, const ExpressionPtr& expression,
                                Span failed) {
  return Culprit(module).find(expression, failed);
}

}  // namespace slipway::blueprint
