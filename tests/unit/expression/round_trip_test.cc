// Tests that a printed expression parses to the same tree, for all of terraform/expressions.txt,
// whose path is in CORPUS.
#include <fstream>

#include "tests/unit/catch.h"
#include "tests/unit/expression/support.h"

using namespace slipway::expression;

namespace {

// A tree as text: every node with its children in brackets. Ignores parentheses and joins adjacent
// literal texts.
class Dump {
 public:
  std::string of(const ExpressionPtr& expression) {
    return expression
               ? std::visit([this](const auto& node) { return dump(node); }, expression->node)
               : "-";
  }

 private:
  std::string all(const std::vector<ExpressionPtr>& list) {
    std::string out;
    for (const ExpressionPtr& item : list) out += of(item) + ",";
    return out;
  }

  std::string dump(const Literal& node) {
    const auto* number = node.value.as<Value::Number>();
    if (number == nullptr || *number >= 0) return to_hcl(*make({}, node));
    return "unary-[" + number_text(-*number) + "]";
  }
  std::string dump(const Template& node) {
    std::string out = "template[";
    std::string text;
    for (const ExpressionPtr& part : node.parts) {
      const auto* literal = part->as<Literal>();
      const auto* string = literal == nullptr ? nullptr : literal->value.as<std::string>();
      if (string != nullptr) {
        text += *string;
        continue;
      }
      out += std::exchange(text, "") + "," + of(part) + ",";
    }
    return out + text + "]";
  }
  std::string branch(const ExpressionPtr& expression) {
    if (!expression) return "-";
    return expression->as<Template>() ? of(expression) : dump(Template{{expression}});
  }
  std::string dump(const TemplateIf& node) {
    return "if[" + of(node.condition) + "," + branch(node.yes) + "," + branch(node.no) + "]";
  }
  std::string dump(const TemplateFor& node) {
    return "each[" + node.key_name + "," + node.value_name + "," + of(node.collection) + "," +
           branch(node.body) + "]";
  }
  std::string dump(const Traversal& node) {
    std::string out = "steps[" + (node.base ? of(node.base) : node.root);
    for (const Step& step : node.steps) {
      out += "," + std::to_string(static_cast<int>(step.kind)) + step.name + of(step.key);
    }
    return out + "]";
  }
  std::string dump(const Call& node) {
    return node.function + "[" + all(node.arguments) + (node.spread ? "...]" : "]");
  }
  std::string dump(const Unary& node) {
    return "unary" + (node.sign + ("[" + of(node.operand))) + "]";
  }
  std::string dump(const Binary& node) {
    return std::to_string(static_cast<int>(node.op)) + "[" + of(node.left) + "," + of(node.right) +
           "]";
  }
  std::string dump(const Conditional& node) {
    return "?[" + of(node.condition) + "," + of(node.yes) + "," + of(node.no) + "]";
  }
  std::string dump(const Parenthesis& node) { return of(node.inner); }
  std::string dump(const Tuple& node) { return "tuple[" + all(node.items) + "]"; }
  std::string dump(const ObjectExpression& node) {
    std::string out = "object[";
    for (const ObjectItem& item : node.items) out += of(item.key) + "=" + of(item.value) + ",";
    return out + "]";
  }
  std::string dump(const For& node) {
    return "for[" + node.key_name + "," + node.value_name + "," + of(node.collection) + "," +
           of(node.result_key) + "," + of(node.result) + "," + of(node.condition) +
           (node.grouped ? "..." : "") + "]";
  }
};

std::vector<std::string> corpus() {
  std::vector<std::string> lines;
  std::ifstream file(CORPUS);
  const std::string mark = "⏎";
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    for (size_t at = line.find(mark); at != std::string::npos; at = line.find(mark, at + 1)) {
      line.replace(at, mark.size(), "\n");
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("printing: a printed expression parses to the same tree") {
  const std::vector<std::string> lines = corpus();
  REQUIRE(lines.size() > 800);
  for (const std::string& line : lines) {
    const ExpressionPtr expression = parse(line);
    INFO(line);
    CHECK(Dump().of(parse(to_hcl(*expression))) == Dump().of(expression));
  }
}

// Replaces literals by something unknown, so that nothing can be fully evaluated.
TEST_CASE("printing: a partly evaluated expression parses to the same tree") {
  size_t unknown = 0;
  for (const std::string& line : corpus()) {
    for (const char* known : {"1", "\"a\"", "true", "null"}) {
      std::string text = line;
      const size_t at = text.find(known);
      if (at == std::string::npos) continue;
      text.replace(at, std::string_view(known).size(), "net.id");
      INFO(text);
      try {
        const ExpressionPtr left = to_expression(evaluate(*parse(text), TestScope()));
        unknown += left->as<Literal>() == nullptr ? 1 : 0;
        CHECK(Dump().of(parse(to_hcl(*left))) == Dump().of(left));
      } catch (const ExpressionError&) {
        continue;  // no longer a valid expression
      }
    }
  }
  CHECK(unknown > 300);
}
