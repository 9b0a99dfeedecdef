// Finds the files of ghpc_stage().
#include "launcher/blueprint/staging.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "launcher/blueprint/evaluation.h"
#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

namespace fs = std::filesystem;

using expression::Call;
using expression::ExpressionError;
using expression::Value;
using source::Code;

class Staging {
 public:
  Staging(Deployment& deployment, bool need_files, const source::Sources& sources,
          source::Diagnostics& diagnostics)
      : deployment_(deployment),
        need_files_(need_files),
        sources_(sources),
        diagnostics_(diagnostics),
        evaluation_(deployment, diagnostics) {}

  void run() {
    for (const auto& [name, variable] : deployment_.variables) collect(variable.value);
    for (const Group& group : deployment_.groups) {
      for (const Module& module : group.modules) {
        for (const auto& [name, setting] : module.settings) collect(setting.value);
      }
    }
    std::sort(deployment_.staged_files.begin(), deployment_.staged_files.end(),
              [](const StagedFile& a, const StagedFile& b) { return a.path < b.path; });
  }

 private:
  void collect(const ExpressionPtr& expression) {
    expression::for_each_call(expression, [&](const Call& call) {
      if (call.function == "ghpc_stage" && call.arguments.size() == 1) stage(call);
    });
  }

  void stage(const Call& call) {
    const Span span = call.arguments[0]->span ? call.arguments[0]->span : call.name_span;
    try {
      const Value path = evaluation_.evaluate(call.arguments[0]);
      const auto* text = path.as<std::string>();
      if (text != nullptr) {
        stage(call, *text, span);
      } else if (path.is_unknown() && diagnostics_.errors() == 0) {
        diagnostics_.error(Code::cannot_evaluate, span,
                           "the path of a staged file must be known before deployment");
      }
    } catch (const ExpressionError&) {  // reported when the setting is evaluated
    }
  }

  void stage(const Call& call, const std::string& path, Span span) {
    const auto known = [&](const StagedFile& file) { return file.path == path; };
    if (std::any_of(deployment_.staged_files.begin(), deployment_.staged_files.end(), known)) {
      return;
    }
    const fs::path from = fs::path(path).is_absolute() ? fs::path(path) : folder_of(span) / path;
    std::error_code ignored;
    if (path.empty() || !fs::exists(from, ignored)) {
      const std::string message = fmt::format("there is no file `{}`", from.string());
      (need_files_ ? diagnostics_.error(Code::no_such_file, span, message)
                   : diagnostics_.warning(Code::no_such_file, span, message))
          .help("a path is relative to the blueprint's folder");
      return;
    }
    const Value staged = evaluation_.evaluate(expression::make(span, call));
    const auto* to = staged.as<std::string>();
    if (to == nullptr) return;
    deployment_.staged_files.push_back(
        {path, from.lexically_normal().string(), fs::path(*to).filename().string(), span});
  }

  fs::path folder_of(Span span) const {
    const std::string file = span ? std::string(sources_.place(span.begin).file) : std::string();
    const auto& files = deployment_.files;
    const bool in_blueprint = std::find(files.begin(), files.end(), file) != files.end();
    return fs::path(in_blueprint ? file : files.front()).parent_path();
  }

  Deployment& deployment_;
  bool need_files_;
  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Evaluation evaluation_;
};

}  // namespace

void stage_files(Deployment& deployment, bool need_files, const source::Sources& sources,
                 source::Diagnostics& diagnostics) {
  Staging(deployment, need_files, sources, diagnostics).run();
}

}  // namespace slipway::blueprint
