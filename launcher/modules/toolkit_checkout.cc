// Reads the modules of a checkout of Cluster Toolkit.
#include "launcher/modules/toolkit_checkout.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "common/error.h"
#include "common/text.h"
#include "launcher/expression/evaluate.h"
#include "launcher/modules/hcl_body.h"
#include "launcher/modules/terraform_declaration.h"
#include "launcher/modules/terraform_module.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;
using source::Node;

constexpr const char* internal_category = "internal";  // modules that blueprints cannot name

std::vector<fs::path> subfolders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (!hidden && entry.is_directory(ignored)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A constant string of an HCL attribute; empty for everything else.
std::string constant_text(const HclAttribute* attribute, const source::Sources& sources) {
  if (attribute == nullptr) return {};
  try {
    const auto value =
        expression::evaluate(*parse_value(attribute->value, sources), expression::EmptyScope());
    const auto* text = value.as<std::string>();
    return text == nullptr ? std::string() : *text;
  } catch (const expression::ExpressionError&) {
    return {};
  }
}

// The strings of a list in YAML; nothing for everything else.
std::vector<std::string> texts_of(const Node* node) {
  std::vector<std::string> texts;
  if (node == nullptr || !node->is_sequence()) return texts;
  for (const Node& item : node->items) {
    if (item.is_scalar() && !item.is_null()) texts.push_back(item.text);
  }
  return texts;
}

bool is_true(const Node* node) {
  return node != nullptr && node->is_scalar() && node->text == "true";
}

class CheckoutReader {
 public:
  CheckoutReader(source::Sources& sources, source::Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  Checkout read(const fs::path& folder, const std::vector<std::string>& library) {
    for (const char* part : {"community/modules", "modules"}) {
      for (const fs::path& category : subfolders(folder / part)) {
        if (category.filename() == internal_category) continue;
        for (const fs::path& module : subfolders(category)) {
          if (is_terraform_module(module)) {
            read_module(module, module.lexically_relative(folder).string());
          }
          read_inner_modules(folder, module.lexically_relative(folder).string() + '/', library);
        }
      }
    }
    if (checkout_.modules.empty()) {
      throw Error(
          fmt::format("{} is not a checkout of Cluster Toolkit: it has no module in "
                      "modules/ or community/modules/",
                      folder.string()));
    }
    return std::move(checkout_);
  }

 private:
  void read_inner_modules(const fs::path& folder, const std::string& parent,
                          const std::vector<std::string>& library) {
    for (const std::string& path : library) {
      if (path.starts_with(parent) && is_terraform_module(folder / path)) {
        read_module(folder / path, path);
      }
    }
  }

  void read_module(const fs::path& folder, const std::string& path) {
    ToolkitModule module;
    module.interface = read_terraform_module(folder, path, sources_, diagnostics_);
    if (module.interface.kind == "terraform") {
      for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".tf" && entry.is_regular_file()) {
          read_blocks(entry.path(), module);
        }
      }
    }
    read_validations(module);
    read_validators(folder, module);
    std::sort(module.providers.begin(), module.providers.end());
    checkout_.modules.push_back(std::move(module));
  }

  // What read_terraform_module() leaves out; it has reported all mistakes.
  void read_blocks(const fs::path& file, ToolkitModule& module) {
    source::Diagnostics reported(sources_);
    HclBody body;
    if (module.interface.unreadable) return;
    if (!read_hcl(sources_.add_file(file), sources_, reported, body)) return;
    for (const HclBlock& block : body.blocks) {
      if (block.type == "provider") module.configures_providers = true;
      if (block.type == "terraform") read_requirements(block, module);
      if (block.type != "variable" || block.labels.size() != 1) continue;
      const std::string why = one_line(constant_text(block.body.find("deprecated"), sources_));
      if (!why.empty()) module.deprecated[block.labels[0].text] = why;
    }
  }

  void read_requirements(const HclBlock& terraform, ToolkitModule& module) {
    for (const HclBlock& block : terraform.body.blocks) {
      if (block.type == "required_providers") {
        for (const HclAttribute& provider : block.body.attributes) {
          module.providers.push_back(provider.name);
        }
      }
      if (block.type != "provider_meta" || !checkout_.version.empty()) continue;
      // module_name = "blueprints/terraform/hpc-toolkit:vpc/v1.95.0"
      const std::string name = constant_text(block.body.find("module_name"), sources_);
      const std::string last = name.substr(name.rfind('/') + 1);
      if (!version_numbers(last).empty()) checkout_.version = last;
    }
  }

  // A variable whose only value is null is one that the module refuses.
  static void read_validations(ToolkitModule& module) {
    for (const Rule& rule : module.interface.rules) {
      const std::string condition = to_hcl(*rule.that);
      if (condition == fmt::format("input.{} == null", rule.at)) {
        module.deprecated[rule.at] = rule.message;
      }
      const auto* call = rule.that->as<expression::Call>();
      if (call == nullptr || call->function != "contains" || call->arguments.size() != 2) continue;
      if (to_hcl(*call->arguments[1]) != "input." + rule.at) continue;
      try {
        const auto list = expression::evaluate(*call->arguments[0], expression::EmptyScope());
        const auto* items = list.as<expression::Value::List>();
        if (items == nullptr) continue;
        for (const expression::Value& item : *items) {
          if (const auto* text = item.as<std::string>()) module.allowed[rule.at].push_back(*text);
        }
      } catch (const expression::ExpressionError&) {
        continue;
      }
    }
  }

  void read_validators(const fs::path& folder, ToolkitModule& module) {
    const fs::path file = folder / "metadata.yaml";
    std::error_code error;
    if (!fs::is_regular_file(file, error) || module.interface.unreadable) return;
    source::Diagnostics reported(sources_);
    const auto root = source::read_yaml(sources_.add_file(file), sources_, reported);
    const Node* settings = root ? root->find("ghpc") : nullptr;
    const Node* list = settings == nullptr ? nullptr : settings->find("validators");
    if (list == nullptr || !list->is_sequence()) return;
    for (const Node& validator : list->items) read_validator(validator, module);
  }

  static void read_validator(const Node& validator, ToolkitModule& module) {
    const Node* name = validator.find("validator");
    const Node* inputs = validator.find("inputs");
    if (name == nullptr || inputs == nullptr) return;
    const Node* message = validator.find("error_message");
    const std::string why =
        message == nullptr || !message->is_scalar() ? std::string() : one_line(message->text);
    for (const std::string& input : texts_of(inputs->find("vars"))) {
      if (module.interface.input(input) == nullptr) continue;
      if (name->text == "required" && is_true(inputs->find("deprecated"))) {
        module.deprecated[input] = why;
      }
      if (name->text == "allowed_enum") module.allowed[input] = texts_of(inputs->find("allowed"));
    }
  }

  source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Checkout checkout_;
};

}  // namespace

std::vector<int> version_numbers(const std::string& version) {
  constexpr size_t most_digits = 6;
  std::string_view rest = version;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  std::vector<int> numbers;
  while (true) {
    const size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view part = rest.substr(0, end);
    const bool digits = part.find_first_not_of("0123456789") == part.npos;
    if (part.empty() || part.size() > most_digits || !digits || numbers.size() == 3) return {};
    numbers.push_back(to_number<int>(std::string(part)).value_or(0));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (numbers.size() < 2) return {};
  numbers.resize(3);
  return numbers;
}

Checkout read_checkout(const fs::path& folder, source::Sources& sources,
                       source::Diagnostics& diagnostics, const std::vector<std::string>& library) {
  return CheckoutReader(sources, diagnostics).read(folder, library);
}

}  // namespace slipway::modules
