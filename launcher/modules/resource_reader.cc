// Reads the `resources` of a module.yaml.
#include "launcher/modules/resource_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/expression/notation.h"
#include "launcher/expression/tokens.h"

namespace slipway::modules {
namespace {

using expression::ExpressionPtr;
using expression::Step;
using expression::Traversal;
using source::Code;
using source::Entry;
using source::Node;

class ResourceReader {
 public:
  ResourceReader(Bodies bodies, Interface& interface, const source::Sources& sources,
                 source::Diagnostics& diagnostics)
      : bodies_(bodies), interface_(interface), sources_(sources), diagnostics_(diagnostics) {}

  void read(const Node& resources) {
    interface_.resources.emplace();
    if (!resources.is_mapping() && !resources.is_null()) {
      wrong(resources.span,
            fmt::format("`resources` must be a mapping, but this is {}", describe(resources)));
      return;
    }
    for (const Entry& entry : resources.entries) read(entry);
    for (const Entry& entry : resources.entries) {
      if (const Node* node = entry.value.find("depends_on")) read_needs(entry, *node);
    }
    check();
  }

 private:
  void wrong(Span span, const std::string& message, std::string help = {}) {
    diagnostics_.error(Code::bad_module_file, span, message).help(std::move(help));
  }

  void read(const Entry& entry) {
    Resource resource;
    resource.span = entry.key_span;
    std::vector<std::string> names = split(entry.key, '.');
    if (!names.empty() && names[0] == "data") {
      resource.looked_up = true;
      names.erase(names.begin());
    }
    if (names.size() != 2 || names[0].find('_') == std::string::npos ||
        !std::all_of(names.begin(), names.end(), expression::is_identifier)) {
      wrong(entry.key_span, fmt::format("`{}` is not a resource name", entry.key),
            "write TYPE.NAME or data.TYPE.NAME, such as google_compute_network.this");
      return;
    }
    resource.type = names[0];
    resource.name = names[1];
    if (!entry.value.is_mapping() && !entry.value.is_null()) {
      wrong(entry.value.span,
            fmt::format("a resource must be a mapping of attributes, but this is {}",
                        describe(entry.value)));
      return;
    }
    for (const Entry& member : entry.value.entries) {
      if (member.key == "for_each") resource.for_each = tree(member.value);
      if (member.key == "when") resource.when = tree(member.value);
      if (member.key == "count") {
        wrong(member.key_span, "`count` is not supported",
              "use `for_each`, which also takes a list");
      }
    }
    if (bodies_ == Bodies::read) resource.body = read_body(entry.value);
    interface_.resources->push_back(std::move(resource));
  }

  ExpressionPtr read_body(Node body) {
    body.kind = source::Kind::mapping;
    std::erase_if(body.entries, [](const Entry& member) {
      return member.key == "for_each" || member.key == "when" || member.key == "depends_on";
    });
    return tree(body);
  }

  void read_needs(const Entry& entry, const Node& needs) {
    const auto found =
        std::find_if(interface_.resources->begin(), interface_.resources->end(),
                     [&](const Resource& resource) { return resource.span == entry.key_span; });
    if (found == interface_.resources->end()) return;  // already reported
    if (!needs.is_sequence()) {
      wrong(needs.span, fmt::format("`depends_on` must be a list of resources, but this is {}",
                                    describe(needs)));
      return;
    }
    for (const Node& need : needs.items) {
      if (!need.is_scalar() || interface_.resource(need.text) == nullptr) {
        no_such_resource(need.text, need.span);
      } else {
        found->depends_on.push_back(need.text);
      }
    }
  }

  ExpressionPtr tree(const Node& node) {
    return expression::from_yaml(node, expression::NameSyntax::plain, sources_, diagnostics_);
  }

  void check() {
    for (const auto& [name, local] : interface_.locals) references(local, false);
    for (const Resource& resource : *interface_.resources) {
      references(resource.when, false);
      references(resource.for_each, false);
      references(resource.body, resource.for_each != nullptr);
    }
    for (const Output& output : interface_.outputs) {
      if (output.value) {
        references(output.value, false);
      } else {
        wrong(output.span, fmt::format("the output `{}` has no value", output.name),
              "in a module with `resources`, every output needs a `value`");
      }
    }
  }

  void references(const ExpressionPtr& expression, bool has_each) {
    if (!expression) return;
    expression::for_each_reference(expression, [&](const Traversal& traversal, Span span) {
      if (traversal.root == "each" && !has_each) {
        wrong(span, "`each` can be used only in the attributes of a resource with `for_each`");
      }
      const std::string resource = resource_reference(traversal);
      if (!resource.empty() && interface_.resource(resource) == nullptr) {
        no_such_resource(resource, span);
      }
    });
  }

  void no_such_resource(const std::string& reference, Span span) {
    std::vector<std::string> known;
    for (const Resource& resource : *interface_.resources) known.push_back(resource.reference());
    wrong(span, fmt::format("there is no resource `{}`", reference),
          source::did_you_mean(reference, known));
  }

  const Bodies bodies_;
  Interface& interface_;
  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

std::string resource_reference(const Traversal& traversal) {
  const bool looked_up = traversal.root == "data";
  // Every type begins with its provider: google_filestore_instance.
  if (!looked_up && traversal.root.find('_') == std::string::npos) return {};
  std::string reference = traversal.root;
  for (size_t i = 0; i < (looked_up ? 2 : 1); ++i) {
    if (i >= traversal.steps.size() || traversal.steps[i].kind != Step::Kind::attribute) return {};
    reference += "." + traversal.steps[i].name;
  }
  return reference;
}

void read_resources(const Node& root, Bodies bodies, Interface& interface,
                    const source::Sources& sources, source::Diagnostics& diagnostics) {
  if (const Node* node = root.find("resources")) {
    ResourceReader(bodies, interface, sources, diagnostics).read(*node);
  }
}

}  // namespace slipway::modules
