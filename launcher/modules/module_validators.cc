// Turns the validators of a module's metadata into rules.
//
// Each rule is an expression over `input` and `written`, which is whether the blueprint sets an
// input itself. What the engine does with each kind: GoogleCloudPlatform/cluster-toolkit,
// pkg/validators/metadata_validators.go.
#include "launcher/modules/module_validators.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/text.h"
#include "launcher/expression/evaluate.h"

namespace slipway::modules {
namespace {

using expression::Value;
using source::Code;
using source::Node;

// A YAML value as text of an expression.
std::string literal(const Value& value) {
  return expression::to_hcl(*expression::make({}, expression::Literal{value}));
}

Value value_of(const Node& node) {
  if (node.is_null() || !node.is_scalar()) return {};
  const source::Scalar scalar = source::resolve(node);
  if (const bool* truth = std::get_if<bool>(&scalar)) return *truth;
  if (const auto* number = std::get_if<long double>(&scalar)) return Value(*number);
  const auto* text = std::get_if<std::string>(&scalar);
  return text == nullptr ? Value() : Value(*text);
}

// The values of a node: its items, or itself.
std::vector<Value> values_of(const Node& node) {
  if (!node.is_sequence()) return {value_of(node)};
  std::vector<Value> values;
  for (const Node& item : node.items) values.push_back(value_of(item));
  return values;
}

bool counts_as_set(const Value& value) {
  if (const auto* number = value.as<Value::Number>()) return *number > 0;
  return !(value.is_null() || value == Value(false) || value == Value(std::string()));
}

class ValidatorReader {
 public:
  ValidatorReader(const Node& node, Interface& interface, source::Diagnostics& diagnostics)
      : node_(node), interface_(interface), diagnostics_(diagnostics) {}

  void read() {
    const Node* kind = node_.find("validator");
    inputs_ = node_.find("inputs");
    if (kind == nullptr || !kind->is_scalar()) return wrong(node_, "a validator needs `validator`");
    struct Kind {
      std::string_view name;
      void (ValidatorReader::*read)();
    };
    static constexpr auto kinds = std::to_array<Kind>({
        {"regex", &ValidatorReader::regex},
        {"allowed_enum", &ValidatorReader::allowed},
        {"range", &ValidatorReader::range},
        {"cidr", &ValidatorReader::cidr},
        {"exclusive", &ValidatorReader::exclusive},
        {"required", &ValidatorReader::required},
        {"conditional", &ValidatorReader::conditional},
        {"conditional_regex", &ValidatorReader::conditional_pattern},
    });
    const auto known = std::ranges::find(kinds, kind->text, &Kind::name);
    if (known == kinds.end()) return;
    message_ = text("error_message", &node_).value_or("");
    warning_ = text("level", &node_) == "warning";
    (this->*known->read)();
  }

 private:
  // The parts of a condition on one setting, such as `a.b`.
  struct Target {
    std::string name;   // "a.b"
    std::string input;  // "a"
    std::string value;  // its value, null if there is none
    std::string each;   // its values: those of a list, or itself
  };

  void regex() {
    const auto pattern = this->pattern();
    if (!pattern) return;
    for (const Target& target : targets()) {
      every(target,
            fmt::format("v == null || !can(tostring(v)) || matches({}, tostring(v))",
                        literal(Value(*pattern))),
            fmt::format("`{}` must match `{}`", target.name, *pattern));
    }
  }

  void allowed() {
    const Node* allowed = input("allowed");
    if (allowed == nullptr || !allowed->is_sequence() || allowed->items.empty()) {
      return wrong(node_, "the validator needs a list `allowed`");
    }
    const bool exact = truth("case_sensitive", true);
    std::vector<std::string> words;
    for (const Node& item : allowed->items) words.push_back(literal(Value(item.text)));
    const std::string_view fold = exact ? "" : "lower";
    std::string list;
    for (const std::string& word : words) {
      list += fmt::format("{}{}({})", list.empty() ? "" : ", ", fold, word);
    }
    const std::string test =
        fmt::format("v == null ? {} : !can(tostring(v)) || contains([{}], {}(tostring(v)))",
                    truth("allow_null", false), list, fold);
    for (const Target& target : targets()) {
      every(target, test, fmt::format("`{}` must be one of {}", target.name, join(words, ", ")));
    }
  }

  void range() {
    std::vector<std::string> bounds, texts;
    const std::string value = truth("length_check", false) ? "length" : "v";
    for (const auto& [name, sign, word] :
         {std::tuple("min", ">=", "at least"), std::tuple("max", "<=", "at most")}) {
      const Node* bound = input(name);
      if (bound == nullptr) continue;
      const Value number = value_of(*bound);
      if (number.as<Value::Number>() == nullptr) {
        return wrong(*bound, fmt::format("`{}` must be a number", name));
      }
      bounds.push_back(fmt::format("{} {}", sign, literal(number)));
      texts.push_back(fmt::format("{} {}", word, bound->text));
    }
    if (bounds.empty()) return wrong(node_, "the validator needs `min` or `max`");
    for (const Target& target : targets()) {
      const std::string what = join(texts, " and ");
      if (value == "length") {
        std::vector<std::string> tests;
        for (const std::string& bound : bounds) {
          tests.push_back(fmt::format("length({}) {}", target.each, bound));
        }
        unless_written(target, join(tests, " && "),
                       fmt::format("`{}` must have {} items", target.name, what));
        continue;
      }
      std::vector<std::string> tests;
      for (const std::string& bound : bounds) tests.push_back("tonumber(v) " + bound);
      every(
          target,
          fmt::format("v == null || !can(tonumber(v)) || (floor(tonumber(v)) == tonumber(v) && {})",
                      join(tests, " && ")),
          fmt::format("`{}` must be a whole number, {}", target.name, what));
    }
  }

  // Of texts, or of one attribute of objects.
  void cidr() {
    const std::string key = text("object_key", inputs_).value_or("");
    const bool allow_null = truth("allow_null", false);
    const auto is_range = [&](const std::string& value) {
      return fmt::format("({0} == null ? {1} : !can(tostring({0})) || can(cidrsubnet({0}, 0, 0)))",
                         value, allow_null);
    };
    std::string test = is_range("v");
    if (!key.empty()) {
      const std::string member = fmt::format("v[{}]", literal(Value(key)));
      test = fmt::format("can(tostring(v)) ? {} : can({}) ? {} : {}", test, member,
                         is_range(member), allow_null);
    }
    for (const Target& target : targets()) {
      every(target, test,
            fmt::format("`{}` must be an address range in CIDR notation", target.name));
    }
  }

  void exclusive() {
    const std::vector<Target> all = targets();
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = i + 1; j < all.size(); ++j) {
        add(all[j].input, fmt::format("!({} && {})", is_set(all[i]), is_set(all[j])),
            fmt::format("`{}` and `{}` exclude each other", all[i].name, all[j].name));
      }
    }
  }

  void required() {
    const bool unwanted = truth("deprecated", false);
    for (const Target& target : targets()) {
      if (unwanted) {
        add(target.input, "!" + is_set(target), fmt::format("`{}` was removed", target.name));
      } else {
        // A value that `use` sets is one, too.
        add(target.input, fmt::format("given.{} && {}", target.input, values_set(target)),
            fmt::format("`{}` is required", target.name));
      }
    }
  }

  void conditional() {
    const auto trigger = target_of("trigger"), dependent = target_of("dependent");
    if (!trigger || !dependent) return;
    const Node* when = input("trigger_value");
    const Node* then = input("dependent_value");
    const std::string met = when == nullptr ? is_set(*trigger) : equals(*trigger, *when);
    const std::string holds = then == nullptr ? is_set(*dependent) : equals(*dependent, *then);
    add(dependent->input, fmt::format("!({}) || {}", met, holds),
        fmt::format("`{}` does not fit `{}`", dependent->name, trigger->name));
  }

  void conditional_pattern() {
    const auto dependent = target_of("dependent");
    const auto pattern = this->pattern();
    if (!dependent || !pattern) return;
    std::vector<std::string> met;
    const Node* triggers = input("triggers");
    if (triggers != nullptr && triggers->is_mapping()) {
      for (const source::Entry& entry : triggers->entries) {
        const auto target = target_named(entry.key);
        if (!target) return;
        met.push_back(has_value(*target, entry.value));
      }
    } else {
      const auto target = target_of("trigger");
      const Node* when = input("trigger_value");
      if (!target) return;
      met.push_back(has_value(*target, when == nullptr ? Node() : *when));
    }
    const std::string found =
        fmt::format("{}can(regex({}, {}))", truth("match_expected", true) ? "" : "!",
                    literal(Value(*pattern)), first(*dependent));
    add(dependent->input,
        fmt::format("!({}) || {} == null || {}", join(met, " && "), first(*dependent), found),
        fmt::format("`{}` does not fit the other settings", dependent->name));
  }

  static std::string values_set(const Target& target) {
    return fmt::format(
        "(length({0}) > 0 && alltrue([for v in {0} : is_set(v) && try(v > 0, true)]))",
        target.each);
  }

  static std::string is_set(const Target& target) {
    return fmt::format("(written.{} && {})", target.input, values_set(target));
  }

  // Whether the written value is the expected one; what is not set is all the same.
  static std::string equals(const Target& target, const Node& expected) {
    const std::vector<Value> values = values_of(expected);
    const std::string actual = fmt::format("(written.{} ? {} : [null])", target.input, target.each);
    std::string test = fmt::format("length({}) == {}", actual, values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string item = fmt::format("{}[{}]", actual, i);
      test += counts_as_set(values[i])
                  ? fmt::format(" && {} == {}", item, literal(values[i]))
                  : fmt::format(" && !(is_set({0}) && try({0} > 0, true))", item);
    }
    return fmt::format("({})", test);
  }

  // The first of a setting's values, also if it is the default.
  static std::string first(const Target& target) {
    return fmt::format("try({}[0], null)", target.each);
  }

  static std::string has_value(const Target& target, const Node& expected) {
    const Value value = value_of(expected);
    const std::string same = fmt::format("{} == {}", first(target), literal(value));
    return counts_as_set(value) ? fmt::format("({})", same)
                                : fmt::format("({} == null || {})", first(target), same);
  }

  void every(const Target& target, std::string_view test, std::string message) {
    unless_written(target, fmt::format("alltrue([for v in {} : {}])", target.each, test),
                   std::move(message));
  }

  void unless_written(const Target& target, const std::string& test, std::string message) {
    const bool optional = truth("optional", true);
    add(target.input,
        optional ? fmt::format("!written.{} || ({})", target.input, test)
                 : fmt::format("written.{} && ({})", target.input, test),
        std::move(message));
  }

  void add(const std::string& at, const std::string& that, std::string otherwise) {
    Rule rule;
    try {
      rule.that = expression::parse(that);
    } catch (const expression::ExpressionError& error) {
      return wrong(node_, error.what());
    }
    rule.at = at;
    rule.message = message_.empty() ? std::move(otherwise) : message_;
    rule.warning = warning_;
    rule.validator = true;
    interface_.rules.push_back(std::move(rule));
  }

  const Node* input(std::string_view name) const {
    return inputs_ == nullptr ? nullptr : inputs_->find(name);
  }

  static std::optional<std::string> text(std::string_view name, const Node* from) {
    const Node* node = from == nullptr ? nullptr : from->find(name);
    if (node != nullptr && node->is_sequence() && node->items.size() == 1) node = &node->items[0];
    if (node == nullptr || !node->is_scalar() || node->is_null()) return std::nullopt;
    return node->text;
  }

  bool truth(std::string_view name, bool otherwise) {
    const Node* node = input(name);
    if (node == nullptr) return otherwise;
    const Value value = value_of(*node);
    if (const bool* truth = value.as<bool>()) return *truth;
    wrong(*node, fmt::format("`{}` must be true or false", name));
    return otherwise;
  }

  std::optional<std::string> pattern() {
    const auto pattern = text("pattern", inputs_);
    const Node* node = input("pattern");
    if (!pattern || pattern->empty()) {
      wrong(node_, "the validator needs a `pattern`");
      return std::nullopt;
    }
    try {
      expression::evaluate(
          *expression::parse(fmt::format("matches({}, \"\")", literal(Value(*pattern)))),
          expression::EmptyScope());
    } catch (const expression::ExpressionError& error) {
      wrong(*node, error.what());
      return std::nullopt;
    }
    return pattern;
  }

  std::optional<Target> target_of(std::string_view name) {
    const auto setting = text(name, inputs_);
    if (setting) return target_named(*setting);
    wrong(node_, fmt::format("the validator needs `{}`", name));
    return std::nullopt;
  }

  std::vector<Target> targets() {
    std::vector<Target> targets;
    const Node* names = input("vars");
    if (names == nullptr) {
      wrong(node_, "the validator needs `vars`");
      return targets;
    }
    const std::vector<Node> one{*names};
    for (const Node& name : names->is_sequence() ? names->items : one) {
      if (auto target = target_named(name.text)) targets.push_back(std::move(*target));
    }
    return targets;
  }

  std::optional<Target> target_named(const std::string& name) {
    const std::vector<std::string> steps = split(name, '.');
    // The engine passes over settings that no blueprint can write.
    if (interface_.input(steps[0]) == nullptr) return std::nullopt;
    std::string value = "input." + steps[0];
    for (size_t i = 1; i < steps.size(); ++i)
      value += fmt::format("[{}]", literal(Value(steps[i])));
    value = fmt::format("try({}, null)", value);
    return Target{name, steps[0], value, fmt::format("flatten([{}])", value)};
  }

  void wrong(const Node& node, const std::string& message) {
    diagnostics_.error(Code::bad_module_file, node.span, message);
  }

  const Node& node_;
  const Node* inputs_ = nullptr;
  Interface& interface_;
  source::Diagnostics& diagnostics_;
  std::string message_;
  bool warning_ = false;
};

}  // namespace

void read_metadata_rules(const Node& validators, Interface& interface,
                         source::Diagnostics& diagnostics) {
  if (validators.is_null()) return;
  if (!validators.is_sequence()) {
    diagnostics.error(
        Code::bad_module_file, validators.span,
        fmt::format("`validators` must be a list, but this is {}", describe(validators)));
  }
  for (const Node& validator : validators.items) {
    ValidatorReader(validator, interface, diagnostics).read();
  }
}

}  // namespace slipway::modules
