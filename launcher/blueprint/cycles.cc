// Finds values that depend on themselves, in two steps: modules that use each other, which is quick
// and nearly always finds nothing; then the values of the modules' files.
#include "launcher/blueprint/cycles.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "launcher/blueprint/references.h"

namespace slipway::blueprint {
namespace {

using expression::Traversal;

// A setting, output, local value or resource of a module, or all of a module's settings.
struct Part {
  enum class Kind { input, output, local, resource, all_inputs };
  const Module* module = nullptr;
  Kind kind = Kind::all_inputs;
  std::string name = {};

  auto operator<=>(const Part&) const = default;
};

struct PartNeed {
  Part part;
  Span span;  // of the reference in the blueprint; empty within a module
};

// Depth-first search, without recursion since a chain can be as long as the blueprint. `Needs`
// returns what a part needs; `report` gets the path to the part that needs an earlier one.
template <class Needs, class Report>
class PartSearch {
 public:
  PartSearch(Needs needs, Report report) : needs_(std::move(needs)), report_(std::move(report)) {}

  void search(const Part& start) {
    if (done_.contains(start)) return;
    enter({start, {}});
    while (!path_.empty()) {
      Visit& visit = path_.back();
      if (visit.next == visit.needs.size()) {
        on_path_.erase(visit.need.part);
        done_.insert(visit.need.part);
        path_.pop_back();
        continue;
      }
      const PartNeed need = visit.needs[visit.next++];
      if (on_path_.contains(need.part)) {
        leave(need);
      } else if (!done_.contains(need.part)) {
        enter(need);
      }
    }
  }

 private:
  struct Visit {
    PartNeed need;
    std::vector<PartNeed> needs;
    size_t next = 0;
  };

  void enter(const PartNeed& need) {
    on_path_.insert(need.part);
    path_.push_back({need, needs_(need.part)});
  }

  // The steps of the cycle: each part after the one that needs it, the last one first and last.
  void leave(const PartNeed& back) {
    auto at = std::find_if(path_.begin(), path_.end(),
                           [&](const Visit& visit) { return visit.need.part == back.part; });
    std::vector<PartNeed> steps;
    for (++at; at != path_.end(); ++at) steps.push_back(at->need);
    steps.push_back(back);
    report_(steps);
  }

  Needs needs_;
  Report report_;
  std::vector<Visit> path_;
  std::set<Part> on_path_, done_;
};

class CycleCheck {
 public:
  CycleCheck(const Deployment& deployment, modules::Library& library,
             source::Diagnostics& diagnostics)
      : deployment_(deployment), library_(library), diagnostics_(diagnostics) {}

  void run() {
    bool modules_use_each_other = false;
    PartSearch of_modules([&](const Part& part) { return needs_of_module(*part.module); },
                          [&](const std::vector<PartNeed>&) { modules_use_each_other = true; });
    for_each_module([&](const Module& module) { of_modules.search(whole(module)); });
    if (!modules_use_each_other) return;
    PartSearch of_values([&](const Part& part) { return needs_of(part); },
                         [&](const std::vector<PartNeed>& steps) { report(steps); });
    for_each_module([&](const Module& module) { of_values.search(whole(module)); });
  }

 private:
  static Part whole(const Module& module) { return {&module, Part::Kind::all_inputs, {}}; }

  template <class Visit>
  void for_each_module(Visit visit) {
    for (const Group& group : deployment_.groups) {
      for (const Module& module : group.modules) visit(module);
    }
  }

  // The module `id`, or nullptr if there is none in this group or an earlier one:
  // check_references() reports that.
  const Module* other(const Module& module, const std::string& id) const {
    const auto [found, group] = deployment_.find(id);
    return group > deployment_.find(module.id).group || found == &module ? nullptr : found;
  }

  std::vector<PartNeed> needs_of_module(const Module& module) const {
    std::vector<PartNeed> needs;
    std::set<const Module*> seen;
    const auto add = [&](const std::string& id, Span span) {
      const Module* needed = other(module, id);
      if (needed != nullptr && seen.insert(needed).second) needs.push_back({whole(*needed), span});
    };
    for (const auto& [name, setting] : module.settings) {
      for_each_output(setting,
                      [&](const std::string& id, const std::string&, Span span) { add(id, span); });
    }
    for (const Use& use : module.depends_on) add(use.module, use.span);
    return needs;
  }

  template <class Visit>
  static void for_each_output(const Setting& setting, Visit visit) {
    expression::for_each_reference(setting.value, [&](const Traversal& traversal, Span span) {
      if (traversal.root != "module" || !is_attribute(traversal, 0)) return;
      const std::string output = is_attribute(traversal, 1) ? traversal.steps[1].name : "";
      visit(traversal.steps[0].name, output, span ? span : setting.span);
    });
  }

  std::vector<PartNeed> needs_of(const Part& part) {
    const Module& module = *part.module;
    if (module.interface == nullptr) return {};
    std::vector<PartNeed> needs;
    if (part.kind == Part::Kind::all_inputs) {
      for (const auto& [name, setting] : module.settings) {
        needs.push_back({{&module, Part::Kind::input, name}, {}});
      }
      add_waited_for(module, needs);
    } else if (part.kind == Part::Kind::input) {
      add_outputs(module, part.name, needs);
    } else {
      add_values(part, library_.with_bodies(*module.interface), needs);
    }
    return needs;
  }

  // With `depends_on`, a module's resources wait for all resources of another one.
  void add_waited_for(const Module& module, std::vector<PartNeed>& needs) const {
    for (const Use& use : module.depends_on) {
      const Module* needed = other(module, use.module);
      if (needed != nullptr) needs.push_back({whole(*needed), use.span});
    }
  }

  void add_outputs(const Module& module, const std::string& input,
                   std::vector<PartNeed>& needs) const {
    const auto setting = module.settings.find(input);
    if (setting == module.settings.end()) return;
    for_each_output(
        setting->second, [&](const std::string& id, const std::string& output, Span span) {
          const Module* needed = other(module, id);
          if (needed == nullptr) return;
          needs.push_back(output.empty() ? PartNeed{whole(*needed), span}
                                         : PartNeed{{needed, Part::Kind::output, output}, span});
        });
  }

  void add_values(const Part& part, const modules::Interface& interface,
                  std::vector<PartNeed>& needs) {
    const Module& module = *part.module;
    const auto add = [&](const ExpressionPtr& expression) {
      if (expression) add_references(module, interface, expression, needs);
    };
    if (part.kind == Part::Kind::local) {
      const auto local = interface.locals.find(part.name);
      if (local != interface.locals.end()) add(local->second);
    } else if (part.kind == Part::Kind::output) {
      const modules::Output* output = interface.output(part.name);
      if (output == nullptr) return;
      // What a foreign module computes an output from is not known.
      if (!output->value) needs.push_back({whole(module), {}});
      add(output->value);
    } else if (const modules::Resource* resource = interface.resource(part.name)) {
      add(resource->for_each);
      add(resource->when);
      add(resource->body);
      for (const std::string& reference : resource->depends_on) {
        needs.push_back({{&module, Part::Kind::resource, reference}, {}});
      }
      add_waited_for(module, needs);
    }
  }

  static void add_references(const Module& module, const modules::Interface& interface,
                             const ExpressionPtr& expression, std::vector<PartNeed>& needs) {
    expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
      const std::string name = is_attribute(traversal, 0) ? traversal.steps[0].name : "";
      const auto add = [&](Part::Kind kind, const std::string& of) {
        needs.push_back({{&module, kind, of}, {}});
      };
      if (traversal.root == "input") {
        add(Part::Kind::input, name);
      } else if (traversal.root == "local") {
        add(Part::Kind::local, name);
      } else if (traversal.root == "output") {
        add(Part::Kind::output, name);
      } else if (traversal.root == "slurm") {
        add(Part::Kind::all_inputs, "");  // the cluster's description follows from all settings
      } else if (traversal.root == "data" && is_attribute(traversal, 1)) {
        add(Part::Kind::resource, "data." + name + "." + traversal.steps[1].name);
      } else if (interface.resource(traversal.root + "." + name) != nullptr) {
        add(Part::Kind::resource, traversal.root + "." + name);
      }
    });
  }

  // The same modules once: their values can form many cycles.
  void report(const std::vector<PartNeed>& steps) {
    std::vector<PartNeed> modules;  // each with the reference to it
    for (const PartNeed& step : steps) {
      if (step.span) modules.push_back(step);
    }
    if (modules.empty()) return;  // within a module's file, which its own tests find
    std::set<const Module*> members;
    for (const PartNeed& step : modules) members.insert(step.part.module);
    if (!reported_.insert(members).second) return;
    const PartNeed& back = modules.back();
    std::string way = fmt::format("`{}`", back.part.module->id);
    for (const PartNeed& step : modules) way += fmt::format(" → `{}`", step.part.module->id);
    diagnostics_
        .error(source::Code::module_cycle, back.span,
               fmt::format("module `{}` depends on itself: {}", back.part.module->id, way))
        .help("each arrow points to a module that must be created first");
  }

  const Deployment& deployment_;
  modules::Library& library_;
  source::Diagnostics& diagnostics_;
  std::set<std::set<const Module*>> reported_;
};

}  // namespace

void check_cycles(const Deployment& deployment, modules::Library& library,
                  source::Diagnostics& diagnostics) {
  CycleCheck(deployment, library, diagnostics).run();
}

}  // namespace slipway::blueprint
