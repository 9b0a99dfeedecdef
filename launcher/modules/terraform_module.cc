// Reads the interface of a folder with Terraform or Packer files.
// Which files are read: https://developer.hashicorp.com/terraform/language/files and
// https://developer.hashicorp.com/packer/docs/templates/hcl_templates
#include "launcher/modules/terraform_module.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/file.h"
#include "launcher/expression/evaluate.h"
#include "launcher/modules/module_metadata.h"
#include "launcher/modules/terraform_declaration.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;
using expression::Value;
using source::Code;

constexpr uintmax_t size_limit_bytes = 1 << 20;
constexpr size_t file_limit = 500;

struct File {
  fs::path path;
  bool json = false;
  bool is_override = false;
};

struct Files {
  std::vector<File> terraform;
  std::vector<File> packer;
  std::vector<File> packer_values;  // *.auto.pkrvars.hcl
};

// The name without `ending`, or nothing if it has another ending.
std::optional<std::string_view> stem(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return std::nullopt;
  return name.substr(0, name.size() - ending.size());
}

bool is_editor_file(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') ||
         (name.starts_with('#') && name.ends_with('#'));
}

Files list_files(const fs::path& folder, std::error_code& error) {
  Files files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_editor_file(name) || !entry.is_regular_file(ignored)) continue;
    for (const std::string_view ending : {".tf", ".tf.json"}) {
      if (const auto base = stem(name, ending)) {
        files.terraform.push_back(
            {entry.path(), ending != ".tf", *base == "override" || base->ends_with("_override")});
      }
    }
    if (name.ends_with(".pkr.hcl")) files.packer.push_back({entry.path()});
    if (name.ends_with(".pkr.json")) files.packer.push_back({entry.path(), true});
    if (name.ends_with(".auto.pkrvars.hcl")) files.packer_values.push_back({entry.path()});
  }
  for (auto* list : {&files.terraform, &files.packer, &files.packer_values}) {
    std::sort(list->begin(), list->end(), [](const File& a, const File& b) {
      return std::pair(a.is_override, a.path) < std::pair(b.is_override, b.path);
    });
  }
  return files;
}

class FolderReader {
 public:
  FolderReader(const std::string& source, source::Sources& sources,
               source::Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {
    interface_.path = source;
    interface_.foreign = true;
  }

  Interface read(const fs::path& folder) {
    interface_.folder = folder.string();
    std::error_code error;
    const Files files = list_files(folder, error);
    if (error) throw Error(fmt::format("cannot read {}: {}", folder.string(), error.message()));
    const bool packer = files.terraform.empty();
    interface_.kind = packer ? "packer" : "terraform";
    interface_.about =
        fmt::format("A {} module in {}.", packer ? "Packer" : "Terraform", folder.string());
    const std::vector<File>& list = packer ? files.packer : files.terraform;
    if (list.size() > file_limit) {
      throw Error(fmt::format("{} has {} Terraform files, more than {}", folder.string(),
                              list.size(), file_limit));
    }
    for (const File& file : list) {
      read_file_of_module(file, packer ? Dialect::packer : Dialect::terraform);
    }
    if (packer) {
      for (const File& file : files.packer_values) read_values(file);
    }
    for (const Declaration& variable : all_.variables) take_variable(variable);
    for (const Declaration& output : all_.outputs) take_output(output);
    std::erase_if(interface_.rules, [this](const Rule& rule) { return names_no_variable(rule); });
    if (!packer) read_metadata(folder, interface_, sources_, diagnostics_);
    return std::move(interface_);
  }

 private:
  // The span of a file's text; nothing, and a diagnostic, if it is too large.
  std::optional<Span> open(const File& file) {
    if (fs::file_size(file.path) <= size_limit_bytes) {
      return sources_.add_file(file.path);
    }
    const Span name = sources_.add(file.path.string(), "");
    diagnostics_.error(Code::hcl_syntax, {name.begin, name.begin},
                       fmt::format("this file is larger than {} KiB", size_limit_bytes >> 10));
    interface_.unreadable = true;
    return std::nullopt;
  }

  void read_file_of_module(const File& file, Dialect dialect) {
    const auto text = open(file);
    if (!text) return;
    Declarations found;
    const bool whole = file.json ? read_json_declarations(*text, sources_, diagnostics_, found)
                                 : read_declarations(*text, dialect, sources_, diagnostics_, found);
    if (!whole) interface_.unreadable = true;
    for (Declaration& variable : found.variables) {
      add(all_.variables, std::move(variable), "variable", file.is_override);
    }
    for (Declaration& output : found.outputs) {
      add(all_.outputs, std::move(output), "output", file.is_override);
    }
  }

  void add(std::vector<Declaration>& list, Declaration declaration, std::string_view what,
           bool is_override) {
    const auto before = std::find_if(list.begin(), list.end(), [&](const Declaration& known) {
      return known.name == declaration.name;
    });
    if (!is_override && before != list.end()) {
      diagnostics_
          .error(Code::duplicate_key, declaration.span,
                 fmt::format("{} `{}` is declared twice in this module", what, declaration.name))
          .other(before->span, "first defined here");
    } else if (!is_override) {
      list.push_back(std::move(declaration));
    } else if (before != list.end()) {
      replace(*before, std::move(declaration));
    } else if (!interface_.unreadable) {
      diagnostics_.error(Code::bad_module_file, declaration.span,
                         fmt::format("there is no {} `{}` to override", what, declaration.name));
    }
  }

  static void replace(Declaration& before, Declaration with) {
    if (with.type) before.type = with.type;
    if (with.default_value) {
      before.default_value = with.default_value;
      before.default_span = with.default_span;
    }
    if (with.description) before.description = with.description;
    if (with.nullable) before.nullable = with.nullable;
    if (with.sensitive) before.sensitive = with.sensitive;
    if (with.value) before.value = with.value;
    if (!with.rules.empty()) before.rules = std::move(with.rules);
  }

  // zone = "us-central1-a": Packer reads this file, so the variable is not required.
  void read_values(const File& file) {
    const auto text = open(file);
    HclBody body;
    if (!text || !read_hcl(*text, sources_, diagnostics_, body)) return;
    for (const HclAttribute& attribute : body.attributes) {
      const auto variable =
          std::find_if(all_.variables.begin(), all_.variables.end(),
                       [&](const Declaration& known) { return known.name == attribute.name; });
      if (variable == all_.variables.end()) continue;
      try {
        variable->default_value =
            expression::evaluate(*parse_value(attribute.value, sources_), expression::EmptyScope());
        variable->default_span = attribute.value;
      } catch (const expression::ExpressionError& error) {
        diagnostics_.error(error.code, error.span ? error.span : attribute.value, error.what());
      }
    }
  }

  void take_variable(const Declaration& variable) {
    Input input;
    input.name = variable.name;
    input.span = variable.span;
    if (variable.type) input.type = *variable.type;
    input.required = !variable.default_value;
    input.help = one_line(variable.description.value_or(""));
    input.nullable = variable.nullable.value_or(true);
    if (variable.default_value) {
      std::vector<expression::Mismatch> mismatches;
      input.default_value = expression::convert(*variable.default_value, input.type, mismatches);
      for (const expression::Mismatch& mismatch : mismatches) {
        diagnostics_.error(
            Code::bad_module_file, variable.default_span,
            fmt::format("the default of `{}{}`: {}", input.name, mismatch.path, mismatch.message));
      }
      if (!input.nullable && variable.default_value->is_null()) {
        diagnostics_.error(
            Code::bad_module_file, variable.default_span,
            fmt::format("the default of `{}` is null, which `nullable` forbids", input.name));
      }
    }
    if (input.required && !input.nullable) interface_.rules.push_back(not_null(input.name));
    interface_.inputs.push_back(std::move(input));
    interface_.rules.insert(interface_.rules.end(), variable.rules.begin(), variable.rules.end());
  }

  // True if a rule refers to a variable that the module does not have. Reports it unless a file
  // could not be read.
  bool names_no_variable(const Rule& rule) {
    bool wrong = false;
    expression::for_each_reference(
        rule.that, [&](const expression::Traversal& traversal, Span span) {
          const std::string& name = traversal.steps[0].name;
          if (interface_.input(name) != nullptr) return;
          wrong = true;
          if (interface_.unreadable) return;
          diagnostics_
              .error(Code::unknown_variable, span, fmt::format("there is no variable `{}`", name))
              .help(source::did_you_mean(name, interface_.input_names()));
        });
    return wrong;
  }

  static Rule not_null(const std::string& name) {
    Rule rule;
    rule.that = expression::parse(fmt::format("input.{} != null", name));
    rule.at = name;
    rule.message = fmt::format("`{}` cannot be null", name);
    return rule;
  }

  void take_output(const Declaration& declared) {
    Output output;
    output.name = declared.name;
    output.span = declared.span;
    output.value = declared.value;
    output.help = one_line(declared.description.value_or(""));
    output.sensitive = declared.sensitive.value_or(false);
    interface_.outputs.push_back(std::move(output));
  }

  source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Interface interface_;
  Declarations all_;
};

}  // namespace

bool is_terraform_module(const fs::path& folder) {
  std::error_code ignored;
  const Files files = list_files(folder, ignored);
  return !files.terraform.empty() || !files.packer.empty();
}

Interface read_terraform_module(const fs::path& folder, const std::string& source,
                                source::Sources& sources, source::Diagnostics& diagnostics) {
  return FolderReader(source, sources, diagnostics).read(folder);
}

}  // namespace slipway::modules
