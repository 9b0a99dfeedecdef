// What a job script does, found without running it.
#include "launcher/job_script/walk.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "launcher/job_script/walk_commands.h"

namespace slipway::job_script {
namespace {

using Kind = ShellCommand::Kind;

constexpr int deepest_call = 20;
constexpr size_t most_commands = 20'000;  // functions that call each other can make many

// A file that was read, which functions refer to.
struct ScriptFile {
  std::string text;
  uint32_t base = 0;
  ShellScript script;
};

struct Function {
  const ShellCommand* command = nullptr;
  const ScriptFile* file = nullptr;
};

class Walker {
 public:
  Walker(const WalkInput& input, source::Sources& sources)
      : input_(input), sources_(sources), variables_(input.environment) {
    for (const std::string& argument : input.arguments) {
      variables_.positional.push_back({argument, {}});
    }
  }

  Walked run() {
    run_file(input_.script);
    for (ShellParameter& parameter : variables_.parameters) {
      const auto at = static_cast<uint32_t>(parameter.at);
      const auto end = at + static_cast<uint32_t>(end_of(at));
      walked_.parameters.push_back(
          {std::move(parameter.name), std::move(parameter.otherwise), {at, end}});
    }
    return std::move(walked_);
  }

 private:
  // The length of the expansion at a place.
  size_t end_of(uint32_t at) const;

  void run_file(source::Span span) {
    ScriptFile& file = files_.emplace_back();
    file.text = sources_.text(span);
    file.base = span.begin;
    file.script = read_shell(file.text);
    const ScriptFile* const before = std::exchange(file_, &file);
    variables_.base = file.base;
    run(file.script.commands);
    if (file.script.understood < file.text.size()) {
      const Range at = {file.script.understood, file.script.understood + 1};
      walked_.not_understood.push_back(span_of(at));
    }
    file_ = before;
    if (before != nullptr) variables_.base = before->base;
  }

  source::Span span_of(Range range) const {
    return {file_->base + static_cast<uint32_t>(range.begin),
            file_->base + static_cast<uint32_t>(range.end)};
  }

  void run(const std::vector<ShellCommand>& commands) {
    for (const ShellCommand& command : commands) run(command);
  }

  // Everything in `commands` happens perhaps.
  void run_perhaps(const std::vector<ShellCommand>& commands) {
    const bool before = std::exchange(perhaps_, true);
    run(commands);
    perhaps_ = before;
  }

  void run(const ShellCommand& command) {
    if (++commands_ > most_commands) return;
    const bool background = background_, perhaps = perhaps_;
    background_ = background_ || command.in_background;
    perhaps_ = perhaps_ || command.after_and_or;
    switch (command.kind) {
      case Kind::simple:
        simple(command);
        break;
      case Kind::conditional:
        conditional(command);
        break;
      case Kind::loop:
        loop(command);
        break;
      case Kind::choice:
        run_perhaps(command.body);
        break;
      case Kind::group:
        run(command.body);
        break;
      case Kind::function:
        functions_[command.name] = {&command, file_};
        break;
    }
    background_ = background;
    perhaps_ = perhaps;
  }

  void conditional(const ShellCommand& command) {
    run(command.condition);
    const std::optional<bool> holds = result_of(command.condition, file_->text, variables_);
    if (holds) return run(*holds ? command.body : command.otherwise);
    run_perhaps(command.body);
    run_perhaps(command.otherwise);
  }

  void loop(const ShellCommand& command) {
    if (!command.name.empty()) variables_.forget(command.name);
    const bool before = std::exchange(repeated_, true);
    run_perhaps(command.condition);
    run_perhaps(command.body);
    repeated_ = before;
  }

  void assign(const ShellAssignment& assignment) {
    std::vector<ShellValue> items;
    if (assignment.is_list) {
      for (const Range word : assignment.words) {
        for (ShellValue& item : expand(file_->text, word, variables_)) {
          items.push_back(std::move(item));
        }
      }
    } else {
      items.push_back(expand_to_one(file_->text, assignment.words[0], variables_));
    }
    set(assignment.name, std::move(items), assignment.append, assignment.is_list);
  }

  void set(const std::string& name, std::vector<ShellValue> items, bool append, bool is_list) {
    std::vector<ShellValue> before;
    const auto state = variables_.find(name, before);
    if (append && state == ShellVariables::State::unknown) return variables_.forget(name);
    if (append && !is_list && !before.empty()) {
      ShellValue& value = items[0];
      value.text = before[0].text + value.text;
      value.unknown.insert(value.unknown.begin(), before[0].unknown.begin(),
                           before[0].unknown.end());
    }
    if (!perhaps_) return variables_.set(name, std::move(items), append && is_list);
    const bool same = !append && before.size() == 1 && items.size() == 1 &&
                      before[0].text == items[0].text && before[0].is_known();
    if (!same) variables_.forget(name);
  }

  void simple(const ShellCommand& command) {
    ScriptCommand made;
    made.place = span_of(command.place);
    made.called_at = called_at_;
    made.conditional = perhaps_;
    made.repeated = repeated_;
    made.in_background = background_;
    for (const Range word : command.words) {
      for (ShellValue& value : expand(file_->text, word, variables_)) {
        made.words.push_back({std::move(value), span_of(word)});
      }
    }
    if (made.words.empty()) {
      for (const ShellAssignment& assignment : command.assignments) assign(assignment);
      return;
    }
    for (const ShellAssignment& assignment : command.assignments) {
      if (assignment.is_list) continue;
      made.environment[assignment.name] =
          expand_to_one(file_->text, assignment.words[0], variables_);
    }
    made.place.end = std::max(made.place.begin + 1, made.words.back().place.end);
    act(std::move(made));
  }

  void act(ScriptCommand command) {
    strip_wrappers(command.words);
    if (command.words.empty()) return;
    const std::string& name = command.words[0].value.text;
    const auto function = functions_.find(name);
    if (function != functions_.end()) return call(function->second, command);
    if (is_step(command.words)) {
      walked_.steps.push_back(std::move(command));
    } else if (const auto import = import_of(command)) {
      walked_.imports.push_back(*import);
    } else if (name == "." || name == "source") {
      sourced(command);
    } else if (name == "shift") {
      shift(command);
    } else if (name == "export" || name == "declare" || name == "local" || name == "readonly" ||
               name == "typeset") {
      declare(command);
    } else if (name == "unset") {
      unset(command);
    } else if (name == "read" || name == "mapfile" || name == "readarray" || name == "printf") {
      for (const std::string& variable : variables_read_by(command.words)) {
        variables_.forget(variable);
      }
    } else if (!is_of_every_shell(name)) {
      walked_.programs.push_back(std::move(command));
    }
  }

  void call(const Function& function, const ScriptCommand& command) {
    if (depth_ >= deepest_call) return;
    ++depth_;
    std::vector<ShellValue> arguments;
    for (size_t i = 1; i < command.words.size(); ++i) arguments.push_back(command.words[i].value);
    const auto positional = std::exchange(variables_.positional, std::move(arguments));
    const source::Span called_at =
        std::exchange(called_at_, called_at_ ? called_at_ : command.place);
    const ScriptFile* const file = std::exchange(file_, function.file);
    const size_t base = std::exchange(variables_.base, function.file->base);
    run(function.command->body);
    variables_.base = base;
    file_ = file;
    called_at_ = called_at;
    variables_.positional = positional;
    --depth_;
  }

  void sourced(const ScriptCommand& command) {
    if (command.words.size() < 2 || depth_ >= deepest_call) return;
    const ScriptWord& word = command.words[1];
    const std::filesystem::path named = word.value.text;
    // An installed file may not be here; then it may be beside the script, as in the examples.
    const std::vector<std::filesystem::path> places =
        word.value.is_known() && named.is_absolute()
            ? std::vector{named, input_.folder / named.filename()}
            : std::vector{input_.folder / named.filename()};
    for (const std::filesystem::path& place : places) {
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(place, ignored)) continue;
      try {
        ++depth_;
        const source::Span called_at =
            std::exchange(called_at_, called_at_ ? called_at_ : command.place);
        run_file(sources_.add_file(place));
        called_at_ = called_at;
        --depth_;
        return;
      } catch (const Error&) {  // not a file that we can read: named below
        --depth_;
      }
    }
    walked_.not_read.push_back(word.place);
  }

  void shift(const ScriptCommand& command) {
    size_t count = 1;
    if (command.words.size() > 1) {
      count = to_number<size_t>(command.words[1].value.text).value_or(1);
    }
    count = std::min(count, variables_.positional.size());
    variables_.positional.erase(variables_.positional.begin(),
                                variables_.positional.begin() + static_cast<ptrdiff_t>(count));
  }

  void declare(const ScriptCommand& command) {
    const bool exports = command.words[0].value.text == "export";
    for (size_t i = 1; i < command.words.size(); ++i) {
      const ScriptWord& word = command.words[i];
      const std::string& text = word.value.text;
      if (text.starts_with('-')) continue;
      const size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      ShellValue value;
      if (equals != text.npos) {
        value = {text.substr(equals + 1), word.value.unknown};
        set(name, {value}, false, false);
      } else {
        std::vector<ShellValue> items;
        const auto state = variables_.find(name, items);
        if (state == ShellVariables::State::unset) continue;
        value = items.empty() ? ShellValue{"$" + name, {name}} : items[0];
      }
      if (exports) walked_.exports.push_back({name, value, word.place, perhaps_, false});
    }
  }

  void unset(const ScriptCommand& command) {
    for (size_t i = 1; i < command.words.size(); ++i) {
      const std::string& name = command.words[i].value.text;
      if (name.starts_with('-')) continue;
      perhaps_ ? variables_.forget(name) : variables_.unset(name);
      walked_.exports.push_back({name, {}, command.words[i].place, perhaps_, true});
    }
  }

  const WalkInput& input_;
  source::Sources& sources_;
  ShellVariables variables_;
  Walked walked_;
  std::deque<ScriptFile> files_;
  std::map<std::string, Function> functions_;
  const ScriptFile* file_ = nullptr;
  source::Span called_at_;
  bool perhaps_ = false, repeated_ = false, background_ = false;
  int depth_ = 0;
  size_t commands_ = 0;
};

size_t Walker::end_of(uint32_t at) const {
  const std::string_view rest = sources_.rest(at);
  return std::min(end_of_expansion_in(rest), rest.size());
}

}  // namespace

Walked walk(const WalkInput& input, source::Sources& sources) {
  return Walker(input, sources).run();
}

}  // namespace slipway::job_script
